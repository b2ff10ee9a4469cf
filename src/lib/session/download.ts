/** Hands a file to the browser's downloads. */
export function download(blob: Blob, filename: string): void {
	const url = URL.createObjectURL(blob);
	const link = document.createElement('a');
	link.href = url;
	link.download = filename;
	link.click();
	// The browser has taken the file over once the click is handled.
	setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
