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

/** Each member of a document that a submit body can have, by where it stands. */
const POINTERS = Object.entries({
  DocumentDto: '',
  RecipientDto: '/recipient',
  LineItemDto: '/lineItems/2',
  RelatedInvoiceDto: '/relatedInvoice',
}).flatMap(([schema, scope]) =>
  Object.keys(components.schemas[schema].properties).map((member) => `/documents/0${scope}/${member}`),
);

it('a field has one name: what the service calls it in a finding, the pages call it in a form', () => {
  expect(POINTERS.length).toBeGreaterThan(30);
  const named = (describe: (pointer: string) => string | null) =>
    Object.fromEntries(POINTERS.map((pointer) => [pointer, describe(pointer)]));
  expect(named(describeField)).toEqual(named(describeFieldOnPages));
});

it('a field of the profile has one name: what the service calls it in a finding, the page calls it in the profile', () => {
  const page = readFileSync('dashboard/src/parts/organisation/profile-fields.ts', 'utf8');
  const labels = [...page.matchAll(/^ {2}(\w+): \{\s*label: '([^']+)'/gm)].map(([, field, label]) => [
    field,
    { label },
  ]);
  expect(Object.fromEntries(labels)).toMatchObject(
    Object.fromEntries(Object.entries(PROFILE_FIELD_TEXTS).map(([field, { label }]) => [field, { label }])),
  );
});
