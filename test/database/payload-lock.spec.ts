import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { PAYLOAD_VERSION } from '../../src/documents/stored-payload.js';
import { listLandedCommits, readLanded } from './landed-commits.js';

// Payloads are stored for years, and builds of two versions read them during an update: what each version holds is kept.

/** By version, and by the path of a field, what it may be. */
type PayloadLock = Readonly<Record<string, Readonly<Record<string, string>>>>;

const REPOSITORY = path.resolve(import.meta.dirname, '../..');
const LOCK = 'src/documents/payload-lock.json';
const TYPES = 'src/documents/simplified-document.ts';

const KINDS: readonly (readonly [ts.TypeFlags, string])[] = [
  [ts.TypeFlags.StringLike, 'string'],
  [ts.TypeFlags.NumberLike, 'number'],
  [ts.TypeFlags.BooleanLike, 'boolean'],
  [ts.TypeFlags.Null, 'null'],
  [ts.TypeFlags.Undefined, 'left out'],
];

const stored = JSON.parse(readFileSync(path.join(REPOSITORY, LOCK), 'utf8')) as PayloadLock;
const made: PayloadLock = { ...stored, [PAYLOAD_VERSION]: listFields() };

const NEW_VERSION =
  `SimplifiedDocument has other fields than payload version ${PAYLOAD_VERSION}: add a step to UPCASTS in ` +
  `src/documents/stored-payload.ts, which makes it version ${PAYLOAD_VERSION + 1} and keeps the landed build from ` +
  'building such documents; then run "npm run migrations:lock"';
const HOW_TO_ADD =
  `${LOCK} does not have the fields of payload version ${PAYLOAD_VERSION} as ${TYPES} declares them. If that version ` +
  `has landed, add a step to UPCASTS in src/documents/stored-payload.ts. Then run "npm run migrations:lock" and commit it`;

/** Every field of `SimplifiedDocument` by its path, as the compiler knows it: aliases and the values of texts are no part. */
function listFields(): Record<string, string> {
  const file = path.join(REPOSITORY, TYPES);
  const module = ts.ModuleKind.NodeNext;
  const program = ts.createProgram([file], { strict: true, target: ts.ScriptTarget.ES2023, module, types: [] });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const exported = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  const symbol = exported?.exports?.get('SimplifiedDocument' as ts.__String);
  if (symbol === undefined) throw new Error(`${TYPES} has no SimplifiedDocument`);
  return Object.fromEntries(
    listProperties(checker, checker.getDeclaredTypeOfSymbol(symbol), '').map(({ name, kinds }) => [
      name,
      kinds.join(' | '),
    ]),
  );
}

interface Field {
  readonly name: string;
  readonly kinds: readonly string[];
}

function listProperties(checker: ts.TypeChecker, type: ts.Type, prefix: string): Field[] {
  return type
    .getProperties()
    .flatMap((property) => listField(checker, checker.getTypeOfSymbol(property), `${prefix}${property.name}`));
}

/** A field, and the fields within it. @throws Error when it may be something that JSON does not have */
function listField(checker: ts.TypeChecker, type: ts.Type, name: string): Field[] {
  const kinds = new Set<string>();
  const within: Field[] = [];
  for (const part of type.isUnion() ? type.types : [type]) {
    const kind = KINDS.find(([flags]) => (part.flags & flags) !== 0)?.[1];
    if (kind !== undefined) {
      kinds.add(kind);
    } else if (checker.isArrayType(part)) {
      kinds.add('list');
      within.push(...listField(checker, checker.getTypeArguments(part as ts.TypeReference)[0], `${name}[]`));
    } else if (part.isClassOrInterface()) {
      kinds.add('object');
      within.push(...listProperties(checker, part, `${name}.`));
    } else {
      throw new Error(
        `${name} of a stored payload may be ${checker.typeToString(part)}, which this lock does not know`,
      );
    }
  }
  return [{ name, kinds: [...kinds].toSorted() }, ...within];
}

describe('the fields of a stored payload', () => {
  it.each(listLandedCommits())('are those of each version that has landed on %s', (commit) => {
    const text = readLanded(commit, LOCK);
    // Landed before there was a lock.
    const landed = JSON.parse(text ?? '{}') as PayloadLock;
    for (const [version, fields] of Object.entries(landed)) expect(made[version], NEW_VERSION).toEqual(fields);
  });

  it('are in the lock, of every version up to PAYLOAD_VERSION', async () => {
    expect(Object.keys(made)).toEqual(Array.from({ length: PAYLOAD_VERSION }, (_, index) => String(index + 1)));
    const lock = `${JSON.stringify(made, null, 2)}\n`;
    await expect(lock, HOW_TO_ADD).toMatchFileSnapshot(path.join(REPOSITORY, LOCK), HOW_TO_ADD);
  });
});
