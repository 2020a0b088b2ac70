import { type ApiName, apiNames } from './api-names.js';
import { type Answer, jsonAnswer } from './answers.js';
import { ControlError } from './errors.js';
import { type FaultName, type FaultRule, faultNames } from './fault-table.js';
import { type HttpRequest, parseJson } from './requests.js';
import { type StateAction, applyAction } from './state-changes.js';
import { type UblNode, attributeOf, isNode } from './ubl.js';
import { statusOf } from './documents.js';
import type { World } from './world.js';

type ControlCall = (world: World, request: HttpRequest) => unknown;

const portalActions: StateAction[] = ['cancel', 'reject'];
const conditionNames = ['api', 'referenceId', 'supplierTin'];

const controlCalls: Record<string, ControlCall> = {
  'POST /_control/reset': (world) => {
    world.reset();
    return clockOf(world);
  },
  'POST /_control/clock': (world, request) => {
    const { advanceSeconds } = objectIn(request);
    if (typeof advanceSeconds !== 'number' || !Number.isFinite(advanceSeconds) || advanceSeconds < 0) {
      throw new ControlError('advanceSeconds must be a number that is not negative; time does not go back.');
    }
    world.clock.advance(advanceSeconds);
    return clockOf(world);
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
    world.faults.add(read);
    return { added: read.length };
  },
  'POST /_control/taxpayers': (world, request) => {
    const { tin, appointed } = objectIn(request);
    if (typeof tin !== 'string' || typeof appointed !== 'boolean') {
      throw new ControlError('tin must be a text and appointed true or false.');
    }
    world.appoint(tin, appointed);
    return { tin, appointed };
  },
  'POST /_control/portal': changeInPortal,
  'GET /_control/wire-log': (world, { query }) => {
    const after = Number(query.get('after') ?? 0);
    if (!Number.isInteger(after) || after < 0) throw new ControlError('after must be a sequence number.');
    return world.archive.wireLogAfter(after);
  },
};

/** The calls by which a test or a QA team moves the simulator; they are no part of the authority. */
export function answerControl(world: World, request: HttpRequest): Answer {
  const call = controlCalls[`${request.method} ${request.path}`];
  if (!call) {
    const names = Object.keys(controlCalls).join(', ');
    return jsonAnswer(404, { error: `Unknown control call. Known calls: ${names}.` });
  }
  try {
    return jsonAnswer(200, call(world, request));
  } catch (error) {
    if (error instanceof ControlError) return jsonAnswer(400, { error: error.message });
    throw error;
  }
}

function changeInPortal(world: World, request: HttpRequest): unknown {
  const fields = objectIn(request);
  const action = oneOf(portalActions, fields.action, 'action');
  const document = world.archive.find(attributeOf(fields, 'uuid'));
  if (!document) throw new ControlError('There is no document with this uuid.');
  const refusal = applyAction(world, document, action, 'Changed in the portal');
  if (refusal) throw new ControlError(`${refusal.code}: ${refusal.message}.`);
  return { uuid: document.uuid, status: statusOf(document) };
}

function readFaultRule(value: unknown): FaultRule {
  const rule = isNode(value) ? value : {};
  const when = isNode(rule.when) ? rule.when : {};
  const unknown = Object.keys(when).find((name) => !conditionNames.includes(name));
  if (unknown) throw new ControlError(`Unknown condition "${unknown}". Known: ${conditionNames.join(', ')}.`);
  const fault: FaultName = oneOf(faultNames, rule.fault, 'fault');
  const api: ApiName = oneOf(apiNames, when.api, 'when.api');
  const times = rule.times ?? 1;
  if (typeof times !== 'number' || !Number.isInteger(times) || times < 1) {
    throw new ControlError('times must be a whole number from 1.');
  }
  refuseMisplaced(fault, api);
  const { referenceId, supplierTin } = when;
  return { api, fault, times, ...optionalText({ referenceId }), ...optionalText({ supplierTin }) };
}

/** Two faults are acted out by one call only; elsewhere they would silently do nothing. */
function refuseMisplaced(fault: FaultName, api: ApiName): void {
  const owners: Partial<Record<FaultName, ApiName>> = { stuck: 'submit', 'cancel-200-with-error': 'cancel' };
  const owner = owners[fault];
  if (owner && owner !== api) throw new ControlError(`The fault ${fault} belongs to the api ${owner}.`);
}

function optionalText(condition: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(condition)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => {
        if (typeof value !== 'string') throw new ControlError(`when.${name} must be a text.`);
        return [name, value];
      }),
  );
}

function oneOf<T extends string>(known: readonly T[], value: unknown, name: string): T {
  const found = known.find((candidate) => candidate === value);
  if (found === undefined) throw new ControlError(`${name} must be one of ${known.join(', ')}.`);
  return found;
}

function objectIn(request: HttpRequest): UblNode {
  const body = parseJson(request.body.toString('utf8'));
  if (!isNode(body)) throw new ControlError('The body must be a JSON object.');
  return body;
}

function clockOf(world: World) {
  return { now: new Date(world.clock.now()).toISOString() };
}
