// Worker threads of the service under test run its sources, as the tests do. The tests' processes get this file by
// `execArgv`, which threads inherit.
import { isMainThread } from 'node:worker_threads';
import { registerHooks } from './register-hooks.mjs';

if (!isMainThread) {
  const url = new URL('worker-sources-hooks.mjs', import.meta.url).href;
  registerHooks(url, await import(url));
}
