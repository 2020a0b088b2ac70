import type { Problem } from './problem.js';

/** The deepest member of the interface lies at level 5 (body, documents, document, lineItems, line); the rest is room. */
export const JSON_DEPTH_MAX = 20;

/** A problem when arrays and objects are nested deeper than JSON_DEPTH_MAX. Goes level by level: no depth overflows it. */
export function depthProblemOf(value: unknown): Problem | null {
  let level = [value].filter(isContainer);
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > JSON_DEPTH_MAX) {
      const message = `the body must not be nested deeper than ${JSON_DEPTH_MAX} levels`;
      return { pointer: '', rule: 'body_depth', message };
    }
    level = childrenOf(level);
  }
  return null;
}

function childrenOf(parents: readonly object[]): object[] {
  const children: object[] = [];
  for (const parent of parents) {
    const members: readonly unknown[] = Array.isArray(parent) ? parent : Object.values(parent);
    for (const member of members) if (isContainer(member)) children.push(member);
  }
  return children;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
