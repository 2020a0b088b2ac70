import { Module } from '@nestjs/common';
import { CreditsController } from './credits.controller.js';
import { OrganisationCreditsService } from './organisation-credits.service.js';

@Module({ controllers: [CreditsController], providers: [OrganisationCreditsService] })
export class DashboardCreditsModule {}
