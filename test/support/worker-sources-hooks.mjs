import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'rolldown/utils';

const HELPERS = new URL('../../scripts/transpile-helpers.js', import.meta.url).href;

/** Resolves an import of a `.js` file to its TypeScript source. */
export function resolve(specifier, context, nextResolve) {
  if (/^(?:\.|file:)/.test(specifier) && specifier.endsWith('.js')) {
    const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(source)) return { url: source.href, format: 'module', shortCircuit: true };
  }
  return nextResolve(specifier, context);
}

export function load(url, context, nextLoad) {
  if (!url.endsWith('.ts')) return nextLoad(url, context);
  const file = fileURLToPath(url);
  const { code, errors } = transformSync(file, readFileSync(file, 'utf8'), { helpers: { mode: 'External' } });
  if (errors.length > 0) throw errors[0];
  return { format: 'module', source: `${code}\nimport * as babelHelpers from '${HELPERS}';`, shortCircuit: true };
}
