import { type SimulatorResponse, jsonResponse } from './responses.js';
import { documentSchema } from './checks/document-schema.js';
import { documentTypeVersions, documentTypes, workflowHours } from './document-types.js';
import { notFound } from './errors.js';
import type { AuthorizedRequest } from './requests.js';
import type { World } from './world.js';

// The authority has not published its ids and dates. Here, the id is the type code as a number, and the date is the
// start of mandatory e-invoicing for the first group of taxpayers.
const activeFrom = '2024-08-01T00:00:00Z';

const types = documentTypes.map(({ code, name }) => ({
  id: Number(code),
  invoiceTypeCode: Number(code),
  description: name,
  activeFrom,
  activeTo: null,
  documentTypeVersions: documentTypeVersions.map((version, index) => ({
    id: Number(code) * 10 + index,
    name: version.name,
    description: `${name} version ${version.name}`,
    activeFrom,
    activeTo: version.activeTo,
    versionNumber: Number(version.name),
    status: 'published',
  })),
}));

const jsonSchema = Buffer.from(JSON.stringify(documentSchema())).toString('base64');

export function listDocumentTypes(): SimulatorResponse {
  return jsonResponse(200, { result: types });
}

export function getDocumentType(_world: World, { parameters }: AuthorizedRequest): SimulatorResponse {
  const type = types.find(({ id }) => String(id) === parameters.id);
  if (!type) return notFound('Document type');
  const workflowParameters = Object.entries(workflowHours).map(([parameter, value], index) => ({
    id: type.id * 10 + index,
    parameter,
    value,
    activeFrom,
    activeTo: null,
  }));
  return jsonResponse(200, { ...type, workflowParameters });
}

export function getDocumentTypeVersion(_world: World, { parameters }: AuthorizedRequest): SimulatorResponse {
  const type = types.find(({ id }) => String(id) === parameters.id);
  const version = type?.documentTypeVersions.find(({ id }) => String(id) === parameters.vid);
  if (!type || !version) return notFound('Document type version');
  return jsonResponse(200, { invoiceTypeCode: type.invoiceTypeCode, ...version, jsonSchema, xmlSchema: null });
}
