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

/** First part of the path of every address: the base address ends with it. */
export const GLOBAL_PREFIX = 'api';

const DOCS_PATH = `${GLOBAL_PREFIX}/docs`;

/** What client teams code against. */
const CLIENT_MODULES = [SubmissionModule, StatusModule, TaxpayerModule, CancellationModule, HealthModule];

const ABOUT = `Accepts simplified invoices and credit notes, builds the tax authority's document, submits it to MyInvois on behalf of the taxpayer and reports its outcome.

1. **Authorize** with an API key. It decides the environment: a key of the sandbox (\`eisk_test_…\`) never reaches production.
2. **Submit** documents: 200 means queued. Keep the \`submissionBatchId\`.
3. **Poll** the submission status until \`terminal\` is true.

Every error is JSON with \`message\`, \`code\`, \`requestId\` and \`helpUrl\`. Nothing is stored, charged or queued unless the status is 200 or 202. Amounts are in ringgit (MYR), timestamps in UTC. In a request, \`null\` for an optional field is the same as leaving it out. A response may get new optional fields, status values and codes at any time: ignore those that you do not know.`;

// A license without an address, and a contact without one, are more than DocumentBuilder can say.
const OWNER = {
  contact: { name: 'The operator of this service' },
  license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
};

/** The API's description, made from the code; `openapi.json` is this, committed. */
export function describeApi(application: NestFastifyApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle('E-Invoice Submission Service')
    .setDescription(ABOUT)
    .setVersion('1')
    .addServer(
      `/${GLOBAL_PREFIX}`,
      'The base address, `http://HOST:PORT/api`, of the service that shows this description.',
    )
    .addTag('E-invoice', 'Submit documents, follow them to their outcome, cancel them, check a TIN.')
    .addTag('Operations', 'For load balancers and monitoring.')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'The API key.' }, 'X-API-Key')
    // Nest's addBearerAuth would call the key a JWT.
    .addSecurity('Bearer', { type: 'http', scheme: 'bearer', description: 'The same API key.' })
    .addGlobalParameters({
      name: 'X-Request-Id',
      in: 'header',
      required: false,
      description:
        'Your id of this request, returned in the same header. The service makes one if it is missing or has another form.',
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

// Before the key is looked at, and so before it is known whose limits the request counts in.
const BEFORE_THE_KEY = new Set(['401', '414', '431']);

/** What the hooks of api-application.ts give every response: its id and, once the key is known, its environment. */
function describeCommonHeaders({ paths }: OpenAPIObject): void {
  for (const operation of Object.values(paths).flatMap((methods) => Object.values(methods) as Operation[])) {
    // The empty list says that a public operation needs no key, and that it was not forgotten.
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

/** The description for tools at /api/docs-json; for people it is a part of the docs site. */
export function serveApiDescription(application: NestFastifyApplication): void {
  compressPublicResponses(application.getHttpAdapter().getInstance(), `/${DOCS_PATH}`);
  SwaggerModule.setup(DOCS_PATH, application, () => describeApi(application), {
    ui: false,
    jsonDocumentUrl: `${DOCS_PATH}-json`,
    yamlDocumentUrl: `${DOCS_PATH}-yaml`,
  });
}
