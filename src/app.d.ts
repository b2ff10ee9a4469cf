declare global {
	/** Set by the build: the version shown in the app and written into exports. */
	const __HILO_VERSION__: string;
}
export {};
