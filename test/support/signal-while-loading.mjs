// Given to Node as --import: sends SIGUSR2 to the process at the first file of the service that its entry file loads
// behind the listener of the signal, long before anything is connected or logged.
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

if (isMainThread) register(import.meta.url);

const LOADED_BEFORE = /\/processes\/(?:api|dispatcher|log-signal)\.js$/;
let isSent = false;

export function load(url, context, next) {
  if (!isSent && url.includes('/dist/src/') && !LOADED_BEFORE.test(url)) {
    isSent = true;
    process.kill(process.pid, 'SIGUSR2');
  }
  return next(url, context);
}
