import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { describeField as describeFieldOnPages } from '../../dashboard/src/parts/field-names.js';
import { PROFILE_FIELD_TEXTS } from '../../src/documents/profile-fields.js';
import { describeField } from '../../src/dashboard-api/transactions/field-names.js';

interface Schema {
  readonly properties: Readonly<Record<string, unknown>>;
}

const { components } = JSON.parse(readFileSync('dashboard/openapi.json', 'utf8')) as {
  components: { schemas: Readonly<Record<string, Schema>> };
};

/** Fields of a submit body for each part of the document. */
const POINTERS = Object.entries({
  DocumentDto: '',
  RecipientDto: '/recipient',
  LineItemDto: '/lineItems/2',
  RelatedInvoiceDto: '/relatedInvoice',
}).flatMap(([schema, scope]) =>
  Object.keys(components.schemas[schema].properties).map((member) => `/documents/0${scope}/${member}`),
);

it('document fields have the same names in the API and in forms', () => {
  expect(POINTERS.length).toBeGreaterThan(30);
  const named = (describe: (pointer: string) => string | null) =>
    Object.fromEntries(POINTERS.map((pointer) => [pointer, describe(pointer)]));
  expect(named(describeField)).toEqual(named(describeFieldOnPages));
});

it('profile fields have the same names in the API and on the profile page', () => {
  const page = readFileSync('dashboard/src/parts/organisation/profile-fields.ts', 'utf8');
  const labels = [...page.matchAll(/^ {2}(\w+): \{\s*label: '([^']+)'/gm)].map(([, field, label]) => [
    field,
    { label },
  ]);
  expect(Object.fromEntries(labels)).toMatchObject(
    Object.fromEntries(Object.entries(PROFILE_FIELD_TEXTS).map(([field, { label }]) => [field, { label }])),
  );
});
