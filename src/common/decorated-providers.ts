import { DiscoveryService } from '@nestjs/core';

type Class<T> = abstract new (...parameters: never[]) => T;

/** A decorator of classes of one kind, each with its options. */
export interface ProviderDecorator<T, Options> {
  (options: Options): (target: Class<T>) => void;
  readonly KEY: string;
}

/** What Nest's own does, with options that cannot be left out and a class of the right kind. */
export function createProviderDecorator<T, Options>(): ProviderDecorator<T, Options> {
  return DiscoveryService.createDecorator<Options>();
}

/** The options that a class was decorated with; undefined when it was not. */
export function readDecoration<Options>(
  { KEY }: ProviderDecorator<never, Options>,
  decorated: object,
): Options | undefined {
  return Reflect.getMetadata(KEY, decorated) as Options | undefined;
}

/** Every provider of the application whose class has the decorator, in the order of the modules that list them. */
export function findDecorated<T, Options>(
  discovery: DiscoveryService,
  decorator: ProviderDecorator<T, Options>,
): { provider: T; options: Options }[] {
  return discovery.getProviders().flatMap(({ metatype, instance }) => {
    const options = typeof metatype === 'function' ? readDecoration(decorator, metatype) : undefined;
    return options === undefined ? [] : [{ provider: instance as T, options }];
  });
}

/** @throws Error when two have one name, such as a copied class whose name was left as it was */
export function assertNamesDiffer(what: string, names: readonly string[]): void {
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) throw new Error(`Two ${what} are called ${repeated}`);
}
