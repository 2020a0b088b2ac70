import { apiNames } from './api-names.js';
import { callsByFault, faultNames, faultTexts } from './fault-table.js';
import { defaultSettings, settingNames, settingRules } from './settings.js';
import { permissionNames } from './world.js';

/** JSON Schema, as OpenAPI 3.1 has it. */
type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: 'string' };
const instant: Schema = { type: 'string', format: 'date-time' };
const uuid: Schema = { type: 'string', description: "The authority's id of a document" };
const tin: Schema = { type: 'string', examples: ['C1234567890'] };
const count: Schema = { type: 'integer', minimum: 1 };
const sequence: Schema = { ...count, description: 'Position in the log, from 1' };

export function refer(name: keyof typeof schemas): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

export function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

/** An object of just these members, all of which are mandatory but the optional ones. */
function object(properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

const settings = Object.fromEntries(
  settingNames.map((name): [string, Schema] => {
    const { schema, means } = settingRules[name];
    return [name, { ...schema, description: means, default: defaultSettings[name] }];
  }),
);

const faultLines = faultNames.map((name) => {
  const calls = callsByFault[name];
  return `- \`${name}\`${calls ? ` (${calls.join(', ')})` : ''}: ${faultTexts[name]}`;
});

const conditions = {
  referenceId: { type: 'string', description: 'Only calls about the document with this number' },
  supplierTin: { type: 'string', description: "Only calls of this taxpayer's token" },
};
const repetition = {
  times: { ...count, default: 1, description: 'How many calls meet it' },
  every: { ...count, default: 1, description: 'Each n-th call that fits meets it' },
};

const documentMembers = {
  uuid,
  submissionUid: text,
  number: { type: 'string', description: 'The number that its supplier gave it' },
  type: { type: 'string', description: "The authority's code of its type", examples: ['01'] },
  supplierTin: tin,
  supplierName: text,
  buyerTin: tin,
  buyerName: text,
  totalPayable: { type: 'number' },
  time: { ...instant, description: 'When it was accepted' },
  status: { type: 'string', enum: ['Submitted', 'Valid', 'Invalid', 'Cancelled'] },
  errors: { ...listOf({ $ref: '#/components/schemas/Finding' }), description: 'Why it is `Invalid`' },
};

export const schemas = {
  Error: {
    ...object({ error: { type: 'string', description: 'What is wrong, and what to send instead' } }),
    description: 'A mistake in a control call',
  },
  Unavailable: object({
    error: {
      type: 'object',
      properties: { code: text, message: { type: 'string' } },
      required: ['code', 'message'],
    },
  }),
  Nothing: object({}),
  Clock: object({ now: { ...instant, description: "The simulator's time" } }),
  Advance: object({ advanceSeconds: { type: 'number', minimum: 0, examples: [259_200] } }),
  Settings: object(settings),
  SettingsChange: { ...object(settings, settingNames), examples: [{ validationDelayMs: 500, rateFactor: 1 }] },
  ApiName: { type: 'string', enum: apiNames, description: "A call of the authority's API" },
  FaultName: {
    type: 'string',
    enum: faultNames,
    description: ['What happens, in brackets the only calls that can meet it:', ...faultLines].join('\n'),
  },
  FaultRule: {
    ...object(
      {
        when: object({ api: { $ref: '#/components/schemas/ApiName' }, ...conditions }, Object.keys(conditions)),
        fault: { $ref: '#/components/schemas/FaultName' },
        ...repetition,
      },
      Object.keys(repetition),
    ),
    examples: [{ when: { api: 'token' }, fault: 'http-503', times: 3 }],
  },
  FaultsAdded: object({ added: { type: 'integer', minimum: 0 } }),
  WaitingFault: object(
    {
      api: { $ref: '#/components/schemas/ApiName' },
      fault: { $ref: '#/components/schemas/FaultName' },
      ...repetition,
      ...conditions,
    },
    Object.keys(conditions),
  ),
  Permission: { type: 'string', enum: permissionNames },
  Appointment: object(
    {
      tin,
      appointed: { type: 'boolean' },
      permissions: {
        ...listOf({ $ref: '#/components/schemas/Permission' }),
        minItems: 1,
        description: 'All if missing',
      },
    },
    ['permissions'],
  ),
  AppointmentMade: object({
    tin,
    appointed: { type: 'boolean' },
    permissions: listOf({ $ref: '#/components/schemas/Permission' }),
  }),
  PortalAction: object({
    uuid,
    action: { type: 'string', enum: ['cancel', 'reject'], description: '`reject` is the request of the buyer' },
  }),
  PortalResult: object({ uuid, status: documentMembers.status }),
  Finding: object({ code: text, message: text, path: text }),
  Document: object(documentMembers),
  DocumentWithContent: object({
    ...documentMembers,
    content: { type: 'object', description: 'The UBL document as it was received' },
  }),
  WireLogEntry: object({
    sequence,
    sha256: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'Of the raw bytes' },
    number: text,
    type: text,
    supplierTin: tin,
    time: instant,
    submissionUid: text,
    uuid,
  }),
  Call: object({
    sequence,
    time: instant,
    api: { type: 'string', enum: [...apiNames, 'canary'], description: '`canary`: who followed a redirect' },
    clientId: text,
    taxpayerTin: text,
    status: { type: ['integer', 'null'], description: '`null` if the connection was cut' },
    fault: { oneOf: [{ $ref: '#/components/schemas/FaultName' }, { type: 'null' }] },
    traceparent: { type: ['string', 'null'], description: 'The header of this name' },
  }),
  CallCounts: object(
    Object.fromEntries([...apiNames, 'canary'].map((name) => [name, { $ref: '#/components/schemas/CallCount' }])),
  ),
  CallCount: object({
    calls: { type: 'integer', minimum: 0 },
    refused: { type: 'integer', minimum: 0, description: 'With 429' },
    busiestMinute: { type: 'integer', minimum: 0, description: 'The most calls in any 60 seconds' },
  }),
} as const satisfies Record<string, Schema>;
