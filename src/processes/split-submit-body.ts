import type { OpenAPIObject } from '@nestjs/swagger';
import { EMPTY_CHOICE, referToEnum } from './named-enums.js';
import { EXAMPLE } from '../documents/dto/document-examples.js';

type Schema = Readonly<Record<string, unknown>>;

interface ObjectSchema extends Schema {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
}

const refer = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

const RECIPIENT = 'The buyer. A consolidated document needs none, and ignores any that is sent.';
const IGNORED_RECIPIENT =
  'Ignored, so any value is accepted: the authority prescribes the buyer of a consolidated document.';

/**
 * Describes the submit body separately for each submission type, because only non-consolidated documents have rules for
 * their recipient. Changes the document, which must be OpenAPI 3.1.
 */
export function splitSubmitBody(document: OpenAPIObject): void {
  const schemas = (document.components ??= {}).schemas as Record<string, Schema>;
  const { SubmitDto: body, DocumentDto: named } = schemas as Record<'SubmitDto' | 'DocumentDto', ObjectSchema>;
  Object.assign(schemas, {
    SubmitDto: { oneOf: [refer('NonConsolidatedSubmitDto'), refer('ConsolidatedSubmitDto')] },
    NonConsolidatedSubmitDto: ofType(body, 'non-consolidated', 'DocumentDto'),
    ConsolidatedSubmitDto: ofType(body, 'consolidated', 'ConsolidatedDocumentDto'),
    DocumentDto: {
      ...withMember(named, 'recipient', {
        ...refer('RecipientDto'),
        description: RECIPIENT,
        examples: [EXAMPLE.recipient],
      }),
      required: [...named.required, 'recipient'],
    },
    ConsolidatedDocumentDto: withMember(named, 'recipient', {
      description: IGNORED_RECIPIENT,
      examples: [EXAMPLE.recipient],
    }),
  });
}

function ofType(body: ObjectSchema, type: string, document: string): Schema {
  const { submission_type, documents } = body.properties;
  const stated = { type: 'string', const: type };
  const states = (spelling: string): Schema => ({ properties: { [spelling]: stated }, required: [spelling] });
  return {
    ...body,
    properties: {
      submission_type: {
        oneOf: [stated, referToEnum([EMPTY_CHOICE]), { type: 'null' }],
        description: submission_type.description,
        examples: [type],
      },
      documents: { ...documents, items: refer(document) },
    },
    // At least one spelling must be present. Generators create a type for `anyOf`, but ignore `not`.
    not: { not: { anyOf: [states('submission_type'), states('submissionType')] } },
  };
}

function withMember(schema: ObjectSchema, name: string, member: Schema): ObjectSchema {
  return { ...schema, properties: { ...schema.properties, [name]: member } };
}
