import { apiNames } from './api-names.js';
import { callsByFault, faultNames, faultTexts } from './fault-table.js';
import { defaultSettings, settingNames, settingRules } from './settings.js';
import { permissionNames } from './world.js';

/** A JSON Schema object in the dialect of OpenAPI 3.1. */
type Schema = Readonly<Record<string, unknown>>;

const text: Schema = { type: 'string' };
const instant: Schema = { type: 'string', format: 'date-time' };
const uuid: Schema = { type: 'string', description: "The authority's document id" };
const tin: Schema = { type: 'string', examples: ['C1234567890'] };
const count: Schema = { type: 'integer', minimum: 1 };
const sequence: Schema = { ...count, description: 'Position in the log, starting at 1' };

export function refer(name: keyof typeof schemas): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

export function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

/** Builds a closed object schema. Members are required unless `optional` lists them. */
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
  referenceId: { type: 'string', description: 'Matches only calls about the document with this number' },
  supplierTin: { type: 'string', description: "Matches only calls with this taxpayer's token" },
};
const repetition = {
  times: { ...count, default: 1, description: 'Number of calls that the fault applies to' },
  every: { ...count, default: 1, description: 'Applies the fault to every n-th matching call' },
};

const documentMembers = {
  uuid,
  submissionUid: text,
  number: { type: 'string', description: "The supplier's number for the document" },
  type: { type: 'string', description: "The authority's code of the document type", examples: ['01'] },
  supplierTin: tin,
  supplierName: text,
  buyerTin: tin,
  buyerName: text,
  totalPayable: { type: 'number' },
  time: { ...instant, description: 'Time of acceptance' },
  status: { type: 'string', enum: ['Submitted', 'Valid', 'Invalid', 'Cancelled'] },
  errors: { ...listOf({ $ref: '#/components/schemas/Finding' }), description: 'Reasons for the status `Invalid`' },
};

export const schemas = {
  Error: {
    ...object({ error: { type: 'string', description: 'Description of the mistake and its fix' } }),
    description: 'Error of a control call',
  },
  Unavailable: object({
    error: {
      type: 'object',
      properties: { code: text, message: { type: 'string' } },
      required: ['code', 'message'],
    },
  }),
  Nothing: object({}),
  Clock: object({ now: { ...instant, description: "The simulator's current time" } }),
  Advance: object({ advanceSeconds: { type: 'number', minimum: 0, examples: [259_200] } }),
  Settings: object(settings),
  SettingsChange: { ...object(settings, settingNames), examples: [{ validationDelayMs: 500, rateFactor: 1 }] },
  ApiName: { type: 'string', enum: apiNames, description: "An operation of the authority's API" },
  FaultName: {
    type: 'string',
    enum: faultNames,
    description: ['The effect of each fault. Parentheses list the only calls that support it:', ...faultLines].join(
      '\n',
    ),
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
        description: 'Defaults to all permissions',
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
    action: {
      type: 'string',
      enum: ['cancel', 'reject'],
      description: "`reject` is the buyer's request for rejection",
    },
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
    sha256: { type: 'string', pattern: '^[0-9a-f]{64}$', description: 'Hash of the raw bytes' },
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
    api: {
      type: 'string',
      enum: [...apiNames, 'canary'],
      description: '`canary` is a request that followed a redirect',
    },
    clientId: text,
    taxpayerTin: text,
    status: { type: ['integer', 'null'], description: '`null` if the connection was cut' },
    fault: { oneOf: [{ $ref: '#/components/schemas/FaultName' }, { type: 'null' }] },
    traceparent: { type: ['string', 'null'], description: 'The `traceparent` header' },
  }),
  CallCounts: object(
    Object.fromEntries([...apiNames, 'canary'].map((name) => [name, { $ref: '#/components/schemas/CallCount' }])),
  ),
  CallCount: object({
    calls: { type: 'integer', minimum: 0 },
    refused: { type: 'integer', minimum: 0, description: 'Number of calls rejected with 429' },
    busiestMinute: { type: 'integer', minimum: 0, description: 'Highest number of calls in any 60 seconds' },
  }),
} as const satisfies Record<string, Schema>;
