import { type ApiName, apiNames } from './api-names.js';
import { type SimulatorResponse, jsonResponse } from './responses.js';
import { type ControlCallName, controlCallNames, lastMax, lastUsually, listParameters } from './control-description.js';
import { ControlError } from './errors.js';
import { type FaultName, type FaultRule, callsByFault, faultNames } from './fault-table.js';
import { parseJson } from './parse-json.js';
import type { HttpRequest } from './requests.js';
import { listReceived, showReceived } from './received.js';
import type { SequencedLog } from './sequenced-log.js';
import { type StateAction, applyAction } from './state-changes.js';
import { type UblNode, readAttribute, isNode, isTaxpayerTin } from './ubl.js';
import { getStatus } from './documents.js';
import { type World, permissionNames } from './world.js';

type ControlCall = (world: World, request: HttpRequest) => unknown;

const portalActions: StateAction[] = ['cancel', 'reject'];
const conditionNames = ['api', 'referenceId', 'supplierTin'];

const controlCalls: Record<ControlCallName, ControlCall> = {
  'POST /_control/reset': (world, request) => {
    readFields(request, []);
    world.reset();
    return showClock(world);
  },
  'POST /_control/clock': (world, request) => {
    const { advanceSeconds } = readFields(request, ['advanceSeconds']);
    if (typeof advanceSeconds !== 'number' || !Number.isFinite(advanceSeconds) || advanceSeconds < 0) {
      throw new ControlError('advanceSeconds must be a number that is not negative; the clock cannot move back.');
    }
    return world.advance(advanceSeconds).then(() => showClock(world));
  },
  'POST /_control/settings': (world, request) => {
    world.change(objectIn(request));
    return world.settings;
  },
  'GET /_control/settings': (world) => world.settings,
  'POST /_control/faults': (world, request) => {
    const rules = parseJson(request.body.toString('utf8'));
    if (!Array.isArray(rules)) throw new ControlError('The body must be a list of faults.');
    const read = rules.map((rule) => readFaultRule(rule));
    world.addFaults(read);
    return { added: read.length };
  },
  'GET /_control/faults': (world) => world.faults.waiting(),
  'DELETE /_control/faults': (world) => {
    world.clearFaults();
    return world.faults.waiting();
  },
  'POST /_control/taxpayers': (world, request) => {
    const { tin, appointed, permissions = permissionNames } = readFields(request, ['tin', 'appointed', 'permissions']);
    if (typeof tin !== 'string' || !isTaxpayerTin(tin)) throw new ControlError('tin must be the TIN of a taxpayer.');
    if (typeof appointed !== 'boolean') throw new ControlError('appointed must be true or false.');
    if (!Array.isArray(permissions) || permissions.length === 0) {
      throw new ControlError(`permissions must be a list of some of ${permissionNames.join(', ')}.`);
    }
    const allowed = permissions.map((name) => assertOneOf(permissionNames, name, 'permissions'));
    world.appoint(tin, appointed ? allowed : []);
    return { tin, appointed, permissions: appointed ? allowed : [] };
  },
  'POST /_control/portal': changeInPortal,
  'GET /_control/documents': (world, { query }) => listReceived(world, countIn(query) ?? lastUsually),
  'GET /_control/document': (world, { query }) => {
    const uuid = query.get('uuid') ?? '';
    const received = showReceived(world, uuid);
    if (!received) throw new ControlError(`uuid must be that of a document that was accepted; "${uuid}" is not.`);
    return received;
  },
  'GET /_control/wire-log': (world, { query }) => readLog(query, world.archive.wireLog),
  'GET /_control/calls': (world, { query }) => readLog(query, world.calls.log),
  'GET /_control/call-counts': (world) => world.calls.counts(),
};

/** Handles the calls that tests and QA teams use to control the simulator. The authority has no such calls. */
export async function respondToControl(world: World, request: HttpRequest): Promise<SimulatorResponse> {
  const name = `${request.method} ${request.path}`;
  if (!isControlCall(name)) {
    const names = controlCallNames.join(', ');
    return jsonResponse(404, { error: `Unknown control call. Known calls: ${names}.` });
  }
  const call = controlCalls[name];
  try {
    refuseUnknown(Object.fromEntries(request.query), listParameters(name), 'parameter');
    return jsonResponse(200, await call(world, request));
  } catch (error) {
    if (error instanceof ControlError) return jsonResponse(400, { error: error.message });
    throw error;
  }
}

function isControlCall(name: string): name is ControlCallName {
  return Object.hasOwn(controlCalls, name);
}

function changeInPortal(world: World, request: HttpRequest): unknown {
  const fields = readFields(request, ['uuid', 'action']);
  const action = assertOneOf(portalActions, fields.action, 'action');
  const document = world.archive.find(readAttribute(fields, 'uuid'));
  if (!document) throw new ControlError('No document has this uuid.');
  const refusal = applyAction(world, document, action, 'Changed in the portal');
  if (refusal) throw new ControlError(`${refusal.code}: ${refusal.message}.`);
  return { uuid: document.uuid, status: getStatus(document) };
}

function readFaultRule(value: unknown): FaultRule {
  const rule = isNode(value) ? value : {};
  refuseUnknown(rule, ['when', 'fault', 'times', 'every'], 'field');
  const when = isNode(rule.when) ? rule.when : {};
  refuseUnknown(when, conditionNames, 'condition');
  const fault: FaultName = assertOneOf(faultNames, rule.fault, 'fault');
  const api: ApiName = assertOneOf(apiNames, when.api, 'when.api');
  const { times = 1, every = 1 } = rule;
  if (!isCount(times)) throw new ControlError('times must be a whole number of at least 1.');
  if (!isCount(every)) throw new ControlError('every must be a whole number of at least 1.');
  refuseMisplaced(fault, api);
  const { referenceId, supplierTin } = when;
  return { api, fault, times, every, ...optionalText({ referenceId }), ...optionalText({ supplierTin }) };
}

function refuseMisplaced(fault: FaultName, api: ApiName): void {
  const owners = callsByFault[fault];
  if (owners && !owners.includes(api))
    throw new ControlError(`The fault ${fault} applies only to ${owners.join(', ')}.`);
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 1;
}

function optionalText(condition: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(condition)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => {
        if (typeof value !== 'string') throw new ControlError(`when.${name} must be a string.`);
        return [name, value];
      }),
  );
}

function assertOneOf<T extends string>(known: readonly T[], value: unknown, name: string): T {
  const found = known.find((candidate) => candidate === value);
  if (found === undefined) throw new ControlError(`${name} must be one of ${known.join(', ')}.`);
  return found;
}

/** Rejects unknown fields, because a misspelt field would otherwise have no effect without an error. */
function readFields(request: HttpRequest, names: readonly string[]): UblNode {
  const fields = request.body.length === 0 && names.length === 0 ? {} : objectIn(request);
  refuseUnknown(fields, names, 'field');
  return fields;
}

function refuseUnknown(fields: UblNode, names: readonly string[], kind: string): void {
  const unknown = Object.keys(fields).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const known = names.length === 0 ? 'there are none' : names.join(', ');
  throw new ControlError(`Unknown ${kind} "${unknown}". Known: ${known}.`);
}

/** Reads a page after a sequence number, or the latest entries. */
function readLog<Entry>(query: URLSearchParams, log: SequencedLog<Entry>): readonly Entry[] {
  const last = countIn(query);
  if (last === undefined) return log.after(sequenceIn(query));
  if (query.has('after')) throw new ControlError('Send after or last, not both.');
  return log.latest(last);
}

function sequenceIn(query: URLSearchParams): number {
  const after = Number(query.get('after') ?? 0);
  if (!Number.isInteger(after) || after < 0) throw new ControlError('after must be a sequence number.');
  return after;
}

function countIn(query: URLSearchParams): number | undefined {
  const text = query.get('last');
  if (text === null) return undefined;
  const last = Number(text);
  if (isCount(last) && last <= lastMax) return last;
  throw new ControlError(`last must be a whole number from 1 to ${lastMax}.`);
}

function objectIn(request: HttpRequest): UblNode {
  const body = parseJson(request.body.toString('utf8'));
  if (!isNode(body)) throw new ControlError('The body must be a JSON object.');
  return body;
}

function showClock(world: World) {
  return { now: new Date(world.clock.now()).toISOString() };
}
