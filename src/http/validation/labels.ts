import type { DtoClass } from './shape.js';

const labels = new Map<object, Map<string, string>>();

export function labelled({ label, alias }: { readonly label?: string; readonly alias?: string }): PropertyDecorator {
  return (prototype, property) => {
    if (label === undefined) return;
    const ofClass = labels.get(prototype) ?? new Map<string, string>();
    for (const name of [String(property), alias ?? String(property)]) ofClass.set(name, label);
    labels.set(prototype, ofClass);
  };
}

export function listLabels(dto: DtoClass): ReadonlyMap<string, string> {
  return labels.get(dto.prototype as object) ?? new Map();
}
