import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DashboardModule } from './dashboard.module.js';

/** The dashboard's own API, from which its pages take their types; `dashboard/openapi.json` is this, committed. */
export function describeDashboardApi(application: NestFastifyApplication): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setTitle('E-Invoice Submission Service: the dashboard')
    .setDescription("For the dashboard's pages only: it may change at any time.")
    .setVersion('1')
    .addCookieAuth('einvoice_session')
    .build();
  return SwaggerModule.createDocument(application, builder, { include: [DashboardModule] });
}
