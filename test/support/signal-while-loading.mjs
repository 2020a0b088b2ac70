// Loaded by `node --import`. Sends SIGUSR2 to the process while it loads the first file after the signal's listener,
// long before the process connects or logs.
import { isMainThread } from 'node:worker_threads';
import { registerHooks } from './register-hooks.mjs';

const LOADED_BEFORE = /\/processes\/(?:api|dispatcher|log-signal)\.js$/;
let isSent = false;

if (isMainThread) registerHooks(import.meta.url, { load });

export function load(url, context, next) {
  if (!isSent && url.includes('/dist/src/') && !LOADED_BEFORE.test(url)) {
    isSent = true;
    process.kill(process.pid, 'SIGUSR2');
  }
  return next(url, context);
}
