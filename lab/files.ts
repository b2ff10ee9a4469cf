import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Fault } from './fault';

/** @throws Fault where the file cannot be read */
export async function readText(path: string): Promise<string> {
	try {
		return await readFile(path, 'utf8');
	} catch (error) {
		throw new Fault(`${path} cannot be read: ${reasonOf(error)}`);
	}
}

/** Writes a file whole or not at all: what is there stays until the new one is complete. */
export async function writeWhole(path: string, text: string): Promise<void> {
	const temporary = `${path}.${process.pid}.tmp`;
	try {
		await mkdir(dirname(path), { recursive: true });
		await writeFile(temporary, text, { flush: true });
		await rename(temporary, path);
	} catch (error) {
		await rm(temporary, { force: true });
		throw new Fault(`${path} cannot be written: ${reasonOf(error)}`);
	}
}

function reasonOf(error: unknown): string {
	const code = error instanceof Error && 'code' in error ? error.code : undefined;
	switch (code) {
		case 'ENOENT':
			return 'there is no such file.';
		case 'EISDIR':
			return 'it is a folder.';
		case 'EACCES':
			return 'access is denied.';
		default:
			return error instanceof Error ? error.message : String(error);
	}
}
