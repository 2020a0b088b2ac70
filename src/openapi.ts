import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

const DOCS_PATH = 'api/docs';

/** The API's description, made from the code; `openapi.json` is this, committed. */
export function describeApi(application: NestFastifyApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle('E-Invoice Submission Service')
    .setDescription(
      'Accepts simplified invoices and credit notes, builds the tax authority document, submits it to MyInvois on ' +
        'behalf of the taxpayer and reports its outcome. A key of the sandbox (`eisk_test_…`) never reaches production.',
    )
    .setVersion('1')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-API-Key' }, 'X-API-Key')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'The same API key.' }, 'Bearer')
    .build();
  return SwaggerModule.createDocument(application, builder);
}

/** Swagger UI at /api/docs, the document itself at /api/docs-json. */
export function serveApiDescription(application: NestFastifyApplication): void {
  SwaggerModule.setup(DOCS_PATH, application, () => describeApi(application), {
    jsonDocumentUrl: 'api/docs-json',
    yamlDocumentUrl: 'api/docs-yaml',
  });
}
