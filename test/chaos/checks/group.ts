export function groupBy<Item, Key>(items: Iterable<Item>, toKey: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(toKey(item));
    if (group === undefined) groups.set(toKey(item), [item]);
    else group.push(item);
  }
  return groups;
}

export function countBy<Item>(items: Iterable<Item>, toKey: (item: Item) => string): Map<string, number> {
  return new Map([...groupBy(items, toKey)].map(([key, group]) => [key, group.length]));
}
