import { Module } from '@nestjs/common';
import { CreditsController } from './credits.controller.js';
import { OrganisationCredits } from './credits.service.js';

@Module({ controllers: [CreditsController], providers: [OrganisationCredits] })
export class DashboardCreditsModule {}
