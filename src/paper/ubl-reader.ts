/** A node of the authority's JSON format. Members are arrays, and `_` holds the basic value. */
export interface UblValue {
  readonly [member: string]: unknown;
}

/**
 * Returns the nodes at a path such as `Item.Price`. Follows the first node of each array, and returns all nodes of the
 * last one.
 */
export function readAll(node: UblValue | undefined, path: string): readonly UblValue[] {
  const names = path.split('.');
  const last = names.pop() ?? '';
  const parent = names.reduce<UblValue | undefined>((one, name) => listMembers(one, name)[0], node);
  return listMembers(parent, last);
}

export function readOne(node: UblValue | undefined, path: string): UblValue | undefined {
  return readAll(node, path)[0];
}

/** Returns the basic value at a path, or one of its attributes. Returns null if it is missing. */
export function readText(node: UblValue | undefined, path: string, attribute = '_'): string | null {
  const value = readOne(node, path)?.[attribute];
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : null;
}

export function readNumber(node: UblValue | undefined, path: string): number | null {
  const value = readOne(node, path)?.['_'];
  return typeof value === 'number' ? value : null;
}

function listMembers(node: UblValue | undefined, name: string): readonly UblValue[] {
  const members = node?.[name];
  return Array.isArray(members) ? (members as UblValue[]) : [];
}
