// Given to Node as --import: sends SIGUSR2 to the process at the first file of the service that its entry file loads
// after the listener of the signal, long before anything is connected or logged.
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
