import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readDocument } from './checks/document.js';
import { type Simulator, startSimulator } from './simulator.js';
import { exampleEntry } from './testing/example-documents.js';
import { TestClient, parseError } from './testing/test-client.js';

interface DocumentType {
  id: number;
  invoiceTypeCode: number;
  description: string;
  documentTypeVersions: { id: number; name: string; versionNumber: number; status: string; activeTo: string | null }[];
}

interface ObjectSchema {
  required: string[];
  properties: Record<string, unknown>;
}

interface DocumentSchema {
  definitions: Record<string, ObjectSchema>;
  properties: { Invoice: { items: ObjectSchema } };
}

describe('document types', () => {
  let simulator: Simulator;
  let client: TestClient;
  beforeAll(async () => {
    simulator = await startSimulator();
    client = await TestClient.login(simulator.url);
  });
  afterAll(() => simulator.close());

  const read = async (path = '') => (await client.call(`documenttypes${path}`)).json();
  const types = async () => ((await read()) as { result: DocumentType[] }).result;

  it("include the authority's eight types with their versions", async () => {
    const all = await types();
    expect(all.map(({ invoiceTypeCode }) => invoiceTypeCode)).toEqual([1, 2, 3, 4, 11, 12, 13, 14]);
    for (const { description, documentTypeVersions } of all) {
      expect(documentTypeVersions).toMatchObject([
        { name: '1.0', versionNumber: 1, status: 'published', activeTo: null },
        { name: '1.1', versionNumber: 1.1, description: `${description} version 1.1` },
        { name: '1.2', activeTo: '2027-12-31T23:59:59Z' },
        { name: '1.3', activeTo: '2027-12-31T23:59:59Z' },
      ]);
    }
    const ids = all.flatMap(({ documentTypeVersions }) => documentTypeVersions.map(({ id }) => id));
    expect(new Set(ids).size).toBe(32);
  });

  it('state the hours to submit, cancel and reject for each type', async () => {
    for (const type of await types()) {
      const { workflowParameters, ...rest } = (await read(`/${type.id}`)) as DocumentType & {
        workflowParameters: object[];
      };
      expect(rest).toEqual(type);
      expect(workflowParameters).toMatchObject([
        { parameter: 'submissionDuration', value: 72, activeTo: null },
        { parameter: 'cancellationDuration', value: 72 },
        { parameter: 'rejectionDuration', value: 72 },
      ]);
    }
  });

  it('return the JSON schema of a version', async () => {
    const [{ id, documentTypeVersions } = { id: 0, documentTypeVersions: [] }] = await types();
    const [version] = documentTypeVersions;
    const response = (await read(`/${id}/versions/${String(version?.id)}`)) as { jsonSchema: string };
    expect(response).toMatchObject({ ...version, invoiceTypeCode: 1, xmlSchema: null });
    const schema = JSON.parse(Buffer.from(response.jsonSchema, 'base64').toString('utf8')) as DocumentSchema;
    const { required, properties } = schema.properties.Invoice.items;
    expect(required).toContain('LegalMonetaryTotal');
    expect(required).not.toContain('PaymentTerms');
    expect(properties.ID).toEqual({
      type: 'array',
      minItems: 1,
      maxItems: 1,
      items: {
        type: 'object',
        properties: { _: { type: 'string', maxLength: 50 } },
        required: ['_'],
        additionalProperties: { type: 'string' },
      },
    });
    expect(properties.InvoiceLine).toMatchObject({
      items: { properties: { Item: { items: { required: ['Description'] } } } },
    });
    expect(properties.PayeeParty).toMatchObject({ items: { $ref: '#/definitions/Party' } });
    expect(schema.definitions.Party?.properties).toHaveProperty('PartyName');
  });

  it.each(['/5', '/01', '/x', '/1/versions/110', '/1/versions/14', '/5/versions/10'])(
    'respond with 404 to the unknown path %s',
    async (path) => {
      const response = await client.call(`documenttypes${path}`);
      expect([response.status, parseError(response).code]).toEqual([404, 'NotFound']);
    },
  );
});

describe('reading a document', () => {
  const read = (version: string, now: string): unknown =>
    readDocument(exampleEntry({ set: { 'InvoiceTypeCode.0.listVersionID': version } }), Date.parse(now));

  it.each([
    ['1.0', '2028-01-01T00:00:00.000Z'],
    ['1.1', '2028-01-01T00:00:00.000Z'],
    ['1.2', '2027-12-31T23:59:59.999Z'],
    ['1.3', '2027-12-31T23:59:59.999Z'],
  ])('accepts version %s at %s', (version, now) => {
    expect(read(version, now)).toHaveProperty('invoice');
  });

  it.each(['1.2', '1.3'])('rejects version %s from 2028', (version) => {
    expect(read(version, '2028-01-01T00:00:00.000Z')).toMatchObject([
      { code: null, message: expect.stringContaining('NotInEnumeration: #/Invoice[0].InvoiceTypeCode[0]') as string },
    ]);
  });
});
