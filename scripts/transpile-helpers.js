// Runtime helpers for decorators, equivalent to TypeScript's helpers. transpile.mjs copies this file into dist/.
export function decorate(decorators, target, key, description) {
  const isMember = key !== undefined;
  let decorated = !isMember
    ? target
    : description === null
      ? Object.getOwnPropertyDescriptor(target, key)
      : description;
  for (const each of decorators.toReversed()) {
    decorated = (isMember ? each(target, key, decorated) : each(decorated)) || decorated;
  }
  if (isMember && decorated) Object.defineProperty(target, key, decorated);
  return decorated;
}
const ignored = () => undefined;
export const decorateMetadata = (key, value) => Reflect.metadata?.(key, value) ?? ignored;
export const decorateParam = (index, decorator) => (target, key) => decorator(target, key, index);
