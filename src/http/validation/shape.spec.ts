import 'reflect-metadata';
import {
  Allow,
  IsInt,
  IsOptional,
  IsPositive,
  IsString,
  MaxLength,
  ValidateBy,
  ValidateNested,
  registerDecorator,
} from 'class-validator';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Problem } from '../../errors/problem.js';
import { TextField } from './fields.js';
import { type JsonObject, NestedShape, checkShape, compileShape, listRuleIds, toShallow, skipMember } from './shape.js';

class Leaf {
  @IsPositive()
  size: number;
}

class Tree {
  @MaxLength(3)
  name: string;

  @IsOptional()
  @IsInt({ message: 'must be whole', context: { kind: 'whole', hint: 'such as 3' } })
  age?: number;

  @IsOptional()
  @IsString({ each: true })
  tags?: string[];

  @IsOptional()
  @ValidateNested()
  @NestedShape({ type: () => Leaf, isList: false, ruleScope: 'leaf' })
  leaf?: Leaf;

  @IsOptional()
  @ValidateNested({ each: true })
  @NestedShape({ type: () => Tree, isList: true, ruleScope: 'tree' })
  branches?: Tree[];
}

const TREE = compileShape(Tree);

function check(value: JsonObject, shape = TREE): { checked: JsonObject; problems: Problem[] } {
  const problems: Problem[] = [];
  return { checked: checkShape(shape, value, '', problems), problems };
}

describe('checkShape', () => {
  it('runs plain class-validator decorators', () => {
    expect(check({ name: 'long', age: 1.5 }).problems).toEqual([
      { pointer: '/name', rule: 'name_max_length', message: 'must be shorter than or equal to 3 characters' },
      { pointer: '/age', rule: 'age_whole', message: 'must be whole', hint: 'such as 3' },
    ]);
  });

  it('points to nested objects, lists and items', () => {
    const value = { name: 'a', tags: ['x', 1], leaf: { size: 0 }, branches: [{ name: 'b' }, { name: 'four' }, 7] };
    expect(check(value).problems.map(({ pointer, rule }) => [pointer, rule])).toEqual([
      ['/tags/1', 'tags_is_string'],
      ['/leaf/size', 'leaf_size_is_positive'],
      ['/branches/1/name', 'tree_name_max_length'],
      ['/branches/2', 'branches_item_type'],
    ]);
  });

  it('reports nested values of another type', () => {
    const { checked, problems } = check({ name: 'a', leaf: [], branches: {} });
    expect(checked).toMatchObject({ leaf: null, branches: null });
    expect(problems).toEqual([
      { pointer: '/leaf', rule: 'leaf_type', message: 'must be an object', hint: 'an object in braces, {…}' },
      {
        pointer: '/branches',
        rule: 'branches_item_type',
        message: 'must be an array',
        hint: 'a list in square brackets, […]',
      },
    ]);
  });

  it('returns declared fields, with undefined for absent and null for invalid ones', () => {
    const { checked } = check({ name: 'long', other: 1, leaf: { size: 2, other: 3 } });
    expect(checked).toEqual({ name: null, age: undefined, tags: undefined, leaf: { size: 2 }, branches: undefined });
    expect(Object.keys(checked)).not.toContain('other');
  });

  it('reads only own properties', () => {
    const inherited = Object.create({ name: 'a' }) as JsonObject;
    expect(check(inherited).problems.map(({ rule }) => rule)).toEqual(['name_max_length']);
    const hostile = JSON.parse(
      '{"__proto__":{"name":"a","age":"x"},"constructor":{"prototype":{"x":1}}}',
    ) as JsonObject;
    const { checked, problems } = check(hostile);
    expect(problems.map(({ rule }) => rule)).toEqual(['name_max_length']);
    expect(Object.getPrototypeOf(checked)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it('supports shallow shapes and skipped fields', () => {
    const value = { name: 'a', leaf: { size: 0 }, branches: [7] };
    expect(check(value, toShallow(TREE))).toEqual({
      checked: { ...value, age: undefined, tags: undefined },
      problems: [],
    });
    const { checked, problems } = check(value, skipMember(TREE, 'leaf'));
    expect(checked).not.toHaveProperty('leaf');
    expect(problems.map(({ pointer }) => pointer)).toEqual(['/branches/0']);
  });

  it('inherits the rules of a base class', () => {
    class Base {
      @TextField({ description: 'Name.', maxLength: 3 })
      name: string;
    }
    class Derived extends Base {
      @IsPositive()
      size: number;
    }
    const { problems } = check({ name: 'long', size: 0 }, compileShape(Derived));
    expect(problems.map(({ rule }) => rule).sort()).toEqual(['name_length', 'size_is_positive']);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('name', 'age', 'tags', 'leaf', 'branches', '__proto__'), fc.jsonValue()),
        (value) => {
          for (const problem of check(value).problems) {
            expect(problem.pointer).toMatch(/^\//);
            expect(problem.message).not.toBe('');
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

function classWith(decorator: PropertyDecorator, property = 'member'): new () => object {
  class Declared {}
  decorator(Declared.prototype, property);
  return Declared;
}

const asynchronous: PropertyDecorator = (prototype, property) =>
  registerDecorator({
    name: 'later',
    async: true,
    target: prototype.constructor,
    propertyName: String(property),
    validator: { validate: () => Promise.resolve(true) },
  });

describe('compileShape', () => {
  it.each([
    ['@Allow', Allow(), 'Declared.member: validation of type whitelistValidation is not supported'],
    ['groups', IsString({ groups: ['create'] }), 'Declared.member: validation groups are not supported'],
    ['asynchronous rules', asynchronous, 'Declared.member: asynchronous validation is not supported'],
    ['an undeclared nested class', ValidateNested(), 'Declared.member: the class of the nested value is not declared'],
  ])('rejects %s at startup', (_name, decorator, message) => {
    expect(() => compileShape(classWith(decorator))).toThrow(message);
  });

  it('rejects a field with the name of an inherited property at startup', () => {
    expect(() => compileShape(classWith(IsString(), 'constructor'))).toThrow('the name is a member of every object');
  });

  it('rejects a class without rules at startup', () => {
    expect(() => compileShape(class Empty {})).toThrow('Empty declares no rules');
  });

  it('supports validateIf of a single rule', () => {
    const odd = ValidateBy(
      { name: 'odd', validator: { validate: (value) => Number(value) % 2 === 1 } },
      { validateIf: (_owner, value) => typeof value === 'number' },
    );
    const shape = compileShape(classWith(odd));
    expect(check({ member: 2 }, shape).problems).toHaveLength(1);
    expect(check({ member: 'two' }, shape).problems).toHaveLength(0);
  });
});

describe('listRuleIds', () => {
  it('lists every rule once', () => {
    class Pair {
      @IsString()
      left: string;

      @ValidateNested()
      @NestedShape({ type: () => Leaf, isList: false, ruleScope: 'leaf' })
      leaf: Leaf;
    }
    expect(listRuleIds(compileShape(Pair))).toEqual(['left_is_string', 'leaf_type', 'leaf_size_is_positive']);
  });
});
