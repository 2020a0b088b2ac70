import ts from 'typescript';

/** JavaScript type of a column. */
export type Kind = 'string' | 'number' | 'boolean' | 'Date' | 'Buffer' | 'json' | `${'string' | 'number' | 'Date'}[]`;

/** The type argument of a `query` call. */
export interface RowType {
  /** UPDATE and DELETE return the rows and their number. */
  readonly form: 'rows' | 'rows and count';
  /** Null for `unknown`. */
  readonly columns: Columns | null;
}

/** Possible types of each column. */
export type Columns = Readonly<Record<string, readonly ts.Type[]>>;

/** JavaScript types of PostgreSQL types, by object id. */
const KINDS: Readonly<Record<number, Kind>> = {
  16: 'boolean',
  17: 'Buffer',
  19: 'string', // name
  20: 'string', // bigint, which a number cannot hold
  21: 'number',
  23: 'number',
  25: 'string', // text
  114: 'json',
  700: 'number',
  701: 'number',
  1007: 'number[]', // integer[]
  1009: 'string[]', // text[]
  1184: 'Date', // timestamptz
  1185: 'Date[]',
  1700: 'string', // numeric, which a number cannot hold
  2278: 'string', // void
  2951: 'string[]', // uuid[]
  2950: 'string', // uuid
  3802: 'json', // jsonb
};

export class RowTypes {
  constructor(private readonly checker: ts.TypeChecker) {}

  read(node: ts.TypeNode): RowType {
    const type = this.checker.getTypeFromTypeNode(node);
    if (!this.checker.isTupleType(type)) return { form: 'rows', columns: this.readColumns(this.getElement(type)) };
    const [first, ...others] = this.checker.getTypeArguments(type as ts.TypeReference);
    if (others.length === 0) return { form: 'rows', columns: this.readColumns(first) };
    return { form: 'rows and count', columns: this.readColumns(this.getElement(first)) };
  }

  /** Compares a column's declared type with its type in the database. @returns the problem, or null */
  findProblem(type: ts.Type, typeId: number): string | null {
    const kind = KINDS[typeId];
    const said = this.checker.typeToString(type);
    if (kind === undefined) return `is of the database type ${typeId}, which this spec has no kind for`;
    const bare = this.checker.getNonNullableType(type);
    if (kind === 'json') return this.canBeJson(bare) ? null : `is JSON, which never is ${said}`;
    return isUnknown(bare) || this.listKinds(bare).every((known) => known === kind)
      ? null
      : `is ${kind}, its type says ${said}`;
  }

  /** Lists all declared members of a JSON column. */
  listJsonMembers(type: ts.Type, typeId: number, seen = new Set<ts.Type>()): string[] {
    if (KINDS[typeId] !== 'json' || seen.has(type)) return [];
    seen.add(type);
    const listDeeper = (one: ts.Type): string[] => this.listJsonMembers(one, typeId, seen);
    if (type.isUnionOrIntersection()) return type.types.flatMap(listDeeper);
    if (this.checker.isArrayLikeType(type)) return listDeeper(this.getElement(type));
    if (!(type.flags & ts.TypeFlags.Object)) return [];
    return this.checker
      .getPropertiesOfType(type)
      .flatMap((property) => [property.name, ...listDeeper(this.checker.getTypeOfSymbol(property))]);
  }

  private getElement(type: ts.Type): ts.Type {
    if (this.checker.isTupleType(type)) return this.checker.getTypeArguments(type as ts.TypeReference)[0];
    const element = this.checker.getIndexTypeOfType(type, ts.IndexKind.Number);
    if (element === undefined) throw new Error(`${this.checker.typeToString(type)} is no list of rows`);
    return element;
  }

  /** Lists the members of all types of a union. */
  private readColumns(type: ts.Type): Record<string, ts.Type[]> | null {
    if (isUnknown(type)) return null;
    const row = this.checker.getNonNullableType(type);
    const columns: Record<string, ts.Type[]> = {};
    for (const property of (row.isUnion() ? row.types : [row]).flatMap((one) =>
      this.checker.getPropertiesOfType(one),
    )) {
      (columns[property.name] ??= []).push(this.checker.getTypeOfSymbol(property));
    }
    return columns;
  }

  private listKinds(type: ts.Type): (Kind | undefined)[] {
    if (type.isUnion()) return type.types.flatMap((member) => this.listKinds(member));
    if (type.flags & ts.TypeFlags.Never) return [];
    if (type.flags & ts.TypeFlags.StringLike) return ['string'];
    if (type.flags & ts.TypeFlags.NumberLike) return ['number'];
    if (type.flags & ts.TypeFlags.BooleanLike) return ['boolean'];
    const name = type.getSymbol()?.name;
    if (name === 'Date' || name === 'Buffer') return [name];
    if (!this.checker.isArrayType(type)) return [undefined];
    return this.listKinds(this.getElement(type)).map((kind) => `${kind}[]` as Kind);
  }

  /** JSON represents dates and bytes as strings. */
  private canBeJson(type: ts.Type, seen: ReadonlySet<ts.Type> = new Set()): boolean {
    if (seen.has(type)) return true;
    const deeper = new Set([...seen, type]);
    if (type.isUnionOrIntersection()) return type.types.every((member) => this.canBeJson(member, deeper));
    if (!(type.flags & ts.TypeFlags.Object)) return true;
    if (['Date', 'Buffer', 'Map', 'Set'].includes(type.getSymbol()?.name ?? '')) return false;
    if (this.checker.isArrayLikeType(type)) return this.canBeJson(this.getElement(type), deeper);
    return this.checker
      .getPropertiesOfType(type)
      .every((property) => this.canBeJson(this.checker.getTypeOfSymbol(property), deeper));
  }
}

function isUnknown(type: ts.Type): boolean {
  return (type.flags & ts.TypeFlags.Unknown) !== 0;
}
