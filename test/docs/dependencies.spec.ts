import { describe, expect, it } from 'vitest';
import { readText, tableRows } from './pages.js';

interface PackageFile {
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const readPackage = (file: string): PackageFile => JSON.parse(readText(file)) as PackageFile;
const rows = tableRows(readText('docs/architecture.md'), 'Package', 'Version', 'Licence', 'Size', 'Reason');
const dependencies = Object.entries(readPackage('package.json').dependencies ?? {});

describe('table of runtime dependencies in architecture.md', () => {
  it('lists each dependency of package.json with its exact version and licence', () => {
    const listed = rows.map(([name = '', version, licence]) => [name.replaceAll('`', ''), version, licence]);
    const installed = dependencies.map(([name, version]) => [
      name,
      version,
      readPackage(`node_modules/${name}/package.json`).license,
    ]);
    expect(installed.length).toBeGreaterThan(20);
    expect(listed).toEqual(installed);
  });

  it('includes a size and a reason for each dependency', () => {
    const incomplete = rows.filter(
      ([, , , size = '', reason = '']) => !/^\d+(?:\.\d)? [kM]B$/.test(size) || reason === '',
    );
    expect(incomplete).toEqual([]);
  });
});
