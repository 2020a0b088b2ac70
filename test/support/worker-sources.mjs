// Worker threads of the service under test run its sources, as the tests do: Node asks these hooks, of which the tests'
// processes are told by `execArgv` and which threads inherit.
import { register } from 'node:module';
import { isMainThread } from 'node:worker_threads';

if (!isMainThread) register('./worker-sources-hooks.mjs', import.meta.url);
