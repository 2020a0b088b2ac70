import module from 'node:module';

/**
 * Registers the hooks `resolve` and `load` that a module exports, which must be synchronous. Node 26 warns about
 * `register`, and Node 20 has nothing else.
 */
export function registerHooks(url, hooks) {
  if (module.registerHooks === undefined) module.register(url);
  else module.registerHooks(hooks);
}
