import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { CancellationModule } from '../cancellation/cancellation.module.js';
import { describeResponseHeaders } from '../common/response-headers.js';
import { compressPublicResponses } from '../http/compression.js';
import { composeExamples } from './composed-examples.js';
import { convertToOpenApi31 } from './openapi-31.js';
import { relaxRequests } from './relaxed-requests.js';
import { splitSubmitBody } from './split-submit-body.js';
import { HealthModule } from '../observability/health/health.module.js';
import { StatusModule } from '../status/status.module.js';
import { SubmissionModule } from '../submission/submission.module.js';
import { TaxpayerModule } from '../taxpayer/taxpayer.module.js';

export const GLOBAL_PREFIX = 'api';

const DOCS_PATH = `${GLOBAL_PREFIX}/docs`;

const CLIENT_MODULES = [SubmissionModule, StatusModule, TaxpayerModule, CancellationModule, HealthModule];

const ABOUT = [
  'Accepts simplified invoices and credit notes, converts them to the format of the tax authority, submits them to ' +
    'MyInvois on behalf of the taxpayer and reports their outcome.',
  '1. **Authorize** with an API key. It determines the environment: a sandbox key (`eisk_test_…`) never submits to ' +
    'production.\n' +
    '2. **Submit** documents. A 200 response means that they are queued. Store the `submissionBatchId`.\n' +
    '3. **Poll** the submission status until `terminal` is true.',
  'Every error is JSON with `message`, `code`, `requestId` and `helpUrl`. Documents are stored, charged and queued only ' +
    'if the status is 200 or 202. Amounts are in ringgit (MYR), timestamps in UTC. In a request, `null` for an optional ' +
    'field is the same as omitting it. Responses may contain new optional fields, status values and codes at any time: ' +
    'ignore unknown ones.',
].join('\n\n');

// DocumentBuilder cannot describe a license or contact without a URL.
const OWNER = {
  contact: { name: 'The operator of this service' },
  license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
};

/** Builds the API description, which is committed as `openapi.json`. */
export function describeApi(application: NestFastifyApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle('E-Invoice Submission Service')
    .setDescription(ABOUT)
    .setVersion('1')
    .addServer(`/${GLOBAL_PREFIX}`, 'Base address of the service that serves this description: `http://HOST:PORT/api`.')
    .addTag('E-invoice', 'Submit documents, poll their status, cancel them, and check a TIN.')
    .addTag('Operations', 'For load balancers and monitoring.')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The API key.' }, 'X-API-Key')
    // Nest's addBearerAuth would describe the key as a JWT.
    .addSecurity('Bearer', { type: 'http', scheme: 'bearer', description: 'The same API key.' })
    .addGlobalParameters({
      name: 'X-Request-Id',
      in: 'header',
      required: false,
      description:
        'Your id for this request, returned in the same header. The service generates one if it is missing or malformed.',
      schema: { type: 'string', pattern: '^[A-Za-z0-9._-]{1,128}$', maxLength: 128, example: 'erp-2026-01-31-0001' },
    })
    .build();
  Object.assign(builder.info, OWNER);
  const document = SwaggerModule.createDocument(application, builder, {
    include: CLIENT_MODULES,
    ignoreGlobalPrefix: true,
  });
  describeCommonHeaders(document);
  composeExamples(document);
  relaxRequests(document);
  convertToOpenApi31(document);
  splitSubmitBody(document);
  return document;
}

interface Operation {
  security?: readonly object[];
  readonly responses: Record<string, { headers?: object }>;
}

// Sent before the key is checked, so the rate limits are unknown.
const BEFORE_THE_KEY = new Set(['401', '414', '431']);

/** Describes the headers of every response: request id, environment and rate limits. */
function describeCommonHeaders({ paths }: OpenAPIObject): void {
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods) as Operation[])) {
    // An empty list marks an operation as public.
    operation.security ??= [];
    for (const [status, response] of Object.entries(operation.responses)) {
      const isKeyKnown = operation.security.length > 0 && !BEFORE_THE_KEY.has(status);
      const common = isKeyKnown
        ? describeResponseHeaders('X-Request-Id', 'X-Environment', 'RateLimit-Policy', 'RateLimit')
        : describeResponseHeaders('X-Request-Id');
      response.headers = { ...response.headers, ...common };
    }
  }
}

export function serveApiDescription(application: NestFastifyApplication): void {
  compressPublicResponses(application.getHttpAdapter().getInstance(), `/${DOCS_PATH}`);
  SwaggerModule.setup(DOCS_PATH, application, () => describeApi(application), {
    ui: false,
    jsonDocumentUrl: `${DOCS_PATH}-json`,
    yamlDocumentUrl: `${DOCS_PATH}-yaml`,
  });
}
