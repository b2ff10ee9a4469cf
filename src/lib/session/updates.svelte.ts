/** The app's own versions, and whether the network is there. A new version waits until the user asks for it. */
export class Updates {
	#isReady = $state(false);
	#isOffline = $state(!navigator.onLine);
	#waiting: ServiceWorker | null = null;

	constructor() {
		addEventListener('online', () => (this.#isOffline = false));
		addEventListener('offline', () => (this.#isOffline = true));
		void this.#watch();
	}

	get isReady(): boolean {
		return this.#isReady;
	}

	get isOffline(): boolean {
		return this.#isOffline;
	}

	/** Loads the waiting version. The page reloads once it has taken over. */
	apply(): void {
		navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), {
			once: true
		});
		this.#waiting?.postMessage({ type: 'skip-waiting' });
	}

	async #watch(): Promise<void> {
		if (!('serviceWorker' in navigator)) return;
		// On a first visit the registration comes after this; where there is none, this never resolves.
		const registration = await navigator.serviceWorker.ready;
		const note = (worker: ServiceWorker | null) => {
			// Without a controller this is the first visit: nothing old is running.
			if (!worker || !navigator.serviceWorker.controller) return;
			this.#waiting = worker;
			this.#isReady = true;
		};
		note(registration.waiting);
		registration.addEventListener('updatefound', () => {
			const fresh = registration.installing;
			fresh?.addEventListener('statechange', () => {
				if (fresh.state === 'installed') note(fresh);
			});
		});
	}
}
