import { createSubscriber } from 'svelte/reactivity';

/** The time to the minute, in epoch milliseconds. One timer for every reader; none while nobody looks. */
const subscribe = createSubscriber((update) => {
	const timer = setInterval(update, 60_000);
	return () => clearInterval(timer);
});

export function now(): number {
	subscribe();
	return Date.now();
}
