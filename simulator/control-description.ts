import { listOf, refer, schemas } from './control-schemas.js';

export const lastMax = 1_000;
export const lastUsually = 50;

type Schema = ReturnType<typeof refer>;

interface Operation {
  id: string;
  tag: 'State' | 'Faults' | 'Portal' | 'Received';
  summary: string;
  description: string;
  parameters?: readonly Parameter[];
  body?: Schema;
  isBodyOptional?: boolean;
  response: Schema;
}

interface Parameter {
  name: string;
  description: string;
  isRequired?: boolean;
  schema: Schema;
}

const last: Parameter = {
  name: 'last',
  description: 'Number of latest entries to return, oldest first',
  schema: { type: 'integer', minimum: 1, maximum: lastMax },
};
const after: Parameter = {
  name: 'after',
  description:
    'Returns up to 10,000 entries after this sequence number. Cannot be combined with `last`. The response is 400 if ' +
    'some of the entries were deleted',
  schema: { type: 'integer', minimum: 0, default: 0 },
};

const calls = {
  'POST /_control/reset': {
    id: 'reset',
    tag: 'State',
    summary: 'Reset the state',
    description: 'Deletes all data and restores the start settings. The clock is reset unless a service follows it.',
    body: refer('Nothing'),
    isBodyOptional: true,
    response: refer('Clock'),
  },
  'POST /_control/clock': {
    id: 'advanceClock',
    tag: 'State',
    summary: 'Move the clock forward',
    description: 'The clock never moves back.',
    body: refer('Advance'),
    response: refer('Clock'),
  },
  'POST /_control/settings': {
    id: 'changeSettings',
    tag: 'State',
    summary: 'Change settings',
    description: 'If a name or value is invalid, the response is 400 and no setting changes.',
    body: refer('SettingsChange'),
    response: refer('Settings'),
  },
  'GET /_control/settings': {
    id: 'getSettings',
    tag: 'State',
    summary: 'Read all settings',
    description: "The response includes the client's secrets if they are set.",
    response: refer('Settings'),
  },
  'POST /_control/faults': {
    id: 'addFaults',
    tag: 'Faults',
    summary: 'Add faults',
    description: 'Faults apply to the next matching calls, the oldest fault first and at most one per call.',
    body: listOf(refer('FaultRule')),
    response: refer('FaultsAdded'),
  },
  'GET /_control/faults': {
    id: 'listFaults',
    tag: 'Faults',
    summary: 'List the pending faults',
    description: '`times` is the number of remaining calls that the fault applies to.',
    response: listOf(refer('WaitingFault')),
  },
  'DELETE /_control/faults': {
    id: 'removeFaults',
    tag: 'Faults',
    summary: 'Remove all faults',
    description: 'The response is the empty list.',
    response: listOf(refer('WaitingFault')),
  },
  'POST /_control/taxpayers': {
    id: 'appoint',
    tag: 'Portal',
    summary: 'Change the appointment of the intermediary by a taxpayer',
    description: 'Initially, every taxpayer with a well-formed TIN has appointed the intermediary.',
    body: refer('Appointment'),
    response: refer('AppointmentMade'),
  },
  'POST /_control/portal': {
    id: 'actInPortal',
    tag: 'Portal',
    summary: 'Cancel a document in the portal, or request its rejection',
    description: "The rules of the authority's API apply. If they forbid the action, the response is 400.",
    body: refer('PortalAction'),
    response: refer('PortalResult'),
  },
  'GET /_control/documents': {
    id: 'listDocuments',
    tag: 'Received',
    summary: 'List the latest accepted documents',
    description: `Each document has its status and errors. The default of \`last\` is ${lastUsually}.`,
    parameters: [last],
    response: listOf(refer('Document')),
  },
  'GET /_control/document': {
    id: 'getDocument',
    tag: 'Received',
    summary: 'Read a received document',
    description: 'The response includes the UBL document.',
    parameters: [{ name: 'uuid', description: "The document's `uuid`", isRequired: true, schema: { type: 'string' } }],
    response: refer('DocumentWithContent'),
  },
  'GET /_control/wire-log': {
    id: 'readWireLog',
    tag: 'Received',
    summary: 'Read the log of accepted documents',
    description: 'The log includes documents that have since been deleted.',
    parameters: [after, last],
    response: listOf(refer('WireLogEntry')),
  },
  'GET /_control/calls': {
    id: 'readCalls',
    tag: 'Received',
    summary: "Read the log of calls of the authority's API",
    description: 'Calls are listed in the order of their responses.',
    parameters: [after, last],
    response: listOf(refer('Call')),
  },
  'GET /_control/call-counts': {
    id: 'countCalls',
    tag: 'Received',
    summary: "Count the calls of the authority's API",
    description: 'The counts include calls that never occurred.',
    response: refer('CallCounts'),
  },
} as const satisfies Record<`${'GET' | 'POST' | 'DELETE'} /_control/${string}`, Operation>;

/** A control call by its method and path. */
export type ControlCallName = keyof typeof calls;

const operations: Readonly<Record<ControlCallName, Operation>> = calls;

export const controlCallNames = Object.keys(operations) as ControlCallName[];

export function listParameters(name: ControlCallName): string[] {
  return (operations[name].parameters ?? []).map((parameter) => parameter.name);
}

const refusals = {
  400: { description: 'The call is invalid', ...json(refer('Error')) },
  401: { description: 'The call does not send the control token of the simulator', ...json(refer('Error')) },
  403: {
    description:
      'The simulator has no control token, and the call comes from another machine or from a page of another site',
    ...json(refer('Error')),
  },
  503: { description: 'The simulator cannot store its state', ...json(refer('Unavailable')) },
};

/** The OpenAPI document of the control calls. */
export const controlDescription = {
  openapi: '3.1.0',
  info: {
    title: 'Control calls of the MyInvois simulator',
    version: '1.0.0',
    description:
      'Control calls let a QA team set the faults, settings and time of the simulated MyInvois API and read its logs. ' +
      'Unknown fields and parameters are rejected.',
    contact: { name: 'The team of the e-invoice submission service' },
    license: { name: 'Not licensed for use by others', identifier: 'LicenseRef-UNLICENSED' },
  },
  servers: [{ url: '/', description: 'The simulator that serves this document' }],
  security: [{}, { controlToken: [] }],
  tags: [
    { name: 'State', description: 'Settings and time' },
    { name: 'Faults', description: 'Simulated failures' },
    { name: 'Portal', description: "Actions of people in the authority's portal" },
    { name: 'Received', description: 'Received documents and calls' },
  ],
  paths: listPaths(),
  components: {
    schemas,
    securitySchemes: {
      controlToken: {
        type: 'http',
        scheme: 'bearer',
        description: 'The value of `--control-token`, if it is set',
      },
    },
  },
};

function listPaths(): Record<string, Record<string, object>> {
  const paths: Record<string, Record<string, object>> = {};
  for (const name of controlCallNames) {
    const [method = '', path = ''] = name.split(' ');
    paths[path] = { ...paths[path], [method.toLowerCase()]: describeOperation(operations[name]) };
  }
  return paths;
}

function describeOperation(operation: Operation): object {
  const { id, tag, summary, description, parameters, body, isBodyOptional = false, response } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    ...(parameters ? { parameters: parameters.map((parameter) => describeParameter(parameter)) } : {}),
    ...(body ? { requestBody: { required: !isBodyOptional, ...json(body) } } : {}),
    responses: { 200: { description: 'Done', ...json(response) }, ...refusals },
  };
}

function describeParameter({ name, description, isRequired = false, schema }: Parameter): object {
  return { name, in: 'query', description, required: isRequired, schema };
}

function json(schema: Schema): { content: object } {
  return { content: { 'application/json': { schema } } };
}
