import { Module } from '@nestjs/common';
import { AuthorityModule } from '../../authority/authority.module.js';
import { CreditsModule } from '../../credits/credits.module.js';
import { StatusModule } from '../../status/status.module.js';
import { SubmissionModule } from '../../submission/submission.module.js';
import { TenantsModule } from '../../tenants/tenants.module.js';
import { AppointmentService } from './appointment.service.js';
import { CodeListsController } from './code-lists.controller.js';
import { OrganisationController } from './organisation.controller.js';
import { OrganisationService } from './organisation.service.js';
import { SubmissionsController } from './submissions.controller.js';
import { SubmissionsService } from './submissions.service.js';

/** An organisation's profile, its way to the first valid document, and documents sent by hand. */
@Module({
  imports: [AuthorityModule, CreditsModule, StatusModule, SubmissionModule, TenantsModule],
  controllers: [OrganisationController, SubmissionsController, CodeListsController],
  providers: [OrganisationService, AppointmentService, SubmissionsService],
  exports: [SubmissionsService],
})
export class OrganisationModule {}
