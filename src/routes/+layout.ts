// A single-page app: everything lives in this browser, so nothing can be rendered on a server.
export const ssr = false;
export const prerender = false;
