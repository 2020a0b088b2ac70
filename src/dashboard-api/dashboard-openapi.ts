import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DashboardModule } from './dashboard.module.js';

/** Describes the dashboard API. The pages derive their types from the committed copy `dashboard/openapi.json`. */
export function describeDashboardApi(application: NestFastifyApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle('E-Invoice Submission Service: the dashboard')
    .setDescription('Only for the pages of the dashboard. It may change at any time.')
    .setVersion('1')
    .addCookieAuth('einvoice_session')
    .build();
  return SwaggerModule.createDocument(application, builder, { include: [DashboardModule] });
}
