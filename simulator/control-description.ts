import { listOf, refer, schemas } from './control-schemas.js';

/** How many entries the end of a log has at most. */
export const lastMax = 1_000;
/** How many documents are listed when nothing else is asked for. */
export const lastUsually = 50;

type Schema = ReturnType<typeof refer>;

interface Operation {
  id: string;
  tag: 'State' | 'Faults' | 'Portal' | 'Received';
  summary: string;
  description: string;
  parameters?: readonly Parameter[];
  body?: Schema;
  /** A body that may be left out. */
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
  description: 'The latest entries, the oldest of them first',
  schema: { type: 'integer', minimum: 1, maximum: lastMax },
};
const after: Parameter = {
  name: 'after',
  description:
    'The entries after this sequence number, at most 10,000; not with `last`. 400 if some of them are forgotten',
  schema: { type: 'integer', minimum: 0, default: 0 },
};

const calls = {
  'POST /_control/reset': {
    id: 'reset',
    tag: 'State',
    summary: 'Forget everything',
    description: 'The settings are again as at the start. So is the clock, unless a service follows it.',
    body: refer('Nothing'),
    isBodyOptional: true,
    response: refer('Clock'),
  },
  'POST /_control/clock': {
    id: 'advanceClock',
    tag: 'State',
    summary: 'Move the clock forward',
    description: 'It never moves back.',
    body: refer('Advance'),
    response: refer('Clock'),
  },
  'POST /_control/settings': {
    id: 'changeSettings',
    tag: 'State',
    summary: 'Change settings',
    description: 'A wrong name or value is 400 and changes nothing.',
    body: refer('SettingsChange'),
    response: refer('Settings'),
  },
  'GET /_control/settings': {
    id: 'getSettings',
    tag: 'State',
    summary: 'Read all settings',
    description: 'With the secrets of the client, if there are any.',
    response: refer('Settings'),
  },
  'POST /_control/faults': {
    id: 'addFaults',
    tag: 'Faults',
    summary: 'Add faults',
    description: 'The next calls that match meet them: older faults first, one a call.',
    body: listOf(refer('FaultRule')),
    response: refer('FaultsAdded'),
  },
  'GET /_control/faults': {
    id: 'listFaults',
    tag: 'Faults',
    summary: 'List the faults still to come',
    description: '`times` is how many calls will still meet it.',
    response: listOf(refer('WaitingFault')),
  },
  'DELETE /_control/faults': {
    id: 'removeFaults',
    tag: 'Faults',
    summary: 'Remove all faults',
    description: 'The response is the list, which is then empty.',
    response: listOf(refer('WaitingFault')),
  },
  'POST /_control/taxpayers': {
    id: 'appoint',
    tag: 'Portal',
    summary: 'Change the appointment of the intermediary by a taxpayer',
    description: 'Every well-formed TIN is appointed at first.',
    body: refer('Appointment'),
    response: refer('AppointmentMade'),
  },
  'POST /_control/portal': {
    id: 'actInPortal',
    tag: 'Portal',
    summary: 'Cancel a document in the portal, or request its rejection',
    description: "By the rules of the authority's API, or 400.",
    body: refer('PortalAction'),
    response: refer('PortalResult'),
  },
  'GET /_control/documents': {
    id: 'listDocuments',
    tag: 'Received',
    summary: 'List the latest accepted documents',
    description: `With their status and errors; ${lastUsually} unless \`last\` says otherwise.`,
    parameters: [last],
    response: listOf(refer('Document')),
  },
  'GET /_control/document': {
    id: 'getDocument',
    tag: 'Received',
    summary: 'Read a document as it was received',
    description: 'With its content, the UBL document.',
    parameters: [{ name: 'uuid', description: 'Its `uuid`', isRequired: true, schema: { type: 'string' } }],
    response: refer('DocumentWithContent'),
  },
  'GET /_control/wire-log': {
    id: 'readWireLog',
    tag: 'Received',
    summary: 'Read the log of accepted documents',
    description: 'Also of those that are no longer kept.',
    parameters: [after, last],
    response: listOf(refer('WireLogEntry')),
  },
  'GET /_control/calls': {
    id: 'readCalls',
    tag: 'Received',
    summary: "Read the log of calls of the authority's API",
    description: 'In the order of their responses.',
    parameters: [after, last],
    response: listOf(refer('Call')),
  },
  'GET /_control/call-counts': {
    id: 'countCalls',
    tag: 'Received',
    summary: "Count the calls of the authority's API",
    description: 'Of each kind, also of those that were never made.',
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
  400: { description: 'A mistake in the call', ...json(refer('Error')) },
  401: { description: 'The simulator has a control token, and the call has not', ...json(refer('Error')) },
  403: {
    description:
      'The simulator has no control token, and the call is not of this machine or is of a page of another site',
    ...json(refer('Error')),
  },
  503: { description: 'The simulator cannot write down its state', ...json(refer('Unavailable')) },
};

/** The OpenAPI document of the control calls. */
export const controlDescription = {
  openapi: '3.1.0',
  info: {
    title: 'Control calls of the MyInvois simulator',
    version: '1.0.0',
    description:
      "How a QA team moves the stand-in for the tax authority's MyInvois API: faults, settings, time, and what it received. " +
      'A call with an unknown field or parameter is refused.',
    contact: { name: 'The team of the e-invoice submission service' },
    license: { name: 'Not licensed for use by others', identifier: 'LicenseRef-UNLICENSED' },
  },
  servers: [{ url: '/', description: 'The simulator that serves this document' }],
  security: [{}, { controlToken: [] }],
  tags: [
    { name: 'State', description: 'Settings and time' },
    { name: 'Faults', description: 'What shall go wrong' },
    { name: 'Portal', description: 'What people do in the portal of the authority' },
    { name: 'Received', description: 'What arrived' },
  ],
  paths: listPaths(),
  components: {
    schemas,
    securitySchemes: {
      controlToken: {
        type: 'http',
        scheme: 'bearer',
        description: 'The text of `--control-token`, where there is one',
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
