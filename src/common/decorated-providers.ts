import { DiscoveryService } from '@nestjs/core';

type Class<T> = abstract new (...parameters: never[]) => T;

export interface ProviderDecorator<T, Options> {
  (options: Options): (target: Class<T>) => void;
  readonly KEY: string;
}

/** Like Nest's `createDecorator`, but requires the options and a class of the given type. */
export function createProviderDecorator<T, Options>(): ProviderDecorator<T, Options> {
  return DiscoveryService.createDecorator<Options>();
}

export function readDecoration<Options>(
  { KEY }: ProviderDecorator<never, Options>,
  decorated: object,
): Options | undefined {
  return Reflect.getMetadata(KEY, decorated) as Options | undefined;
}

/** Returns all providers whose class has the decorator, in module order. */
export function findDecorated<T, Options>(
  discovery: DiscoveryService,
  decorator: ProviderDecorator<T, Options>,
): { provider: T; options: Options }[] {
  return discovery.getProviders().flatMap(({ metatype, instance }) => {
    const options = typeof metatype === 'function' ? readDecoration(decorator, metatype) : undefined;
    return options === undefined ? [] : [{ provider: instance as T, options }];
  });
}

/** @throws Error if two names are equal, for example in a copied class */
export function assertNamesDiffer(what: string, names: readonly string[]): void {
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new Error(`Two ${what} are called ${repeated}`);
}
