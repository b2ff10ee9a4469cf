// Node has no IndexedDB; this in-memory one is for speed. The same rules run on real Chromium in tests/browser.
import 'fake-indexeddb/auto';
