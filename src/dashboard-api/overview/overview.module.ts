import { Module } from '@nestjs/common';
import { CreditsModule } from '../../credits/credits.module.js';
import { OverviewController } from './overview.controller.js';
import { OverviewService } from './overview.service.js';

@Module({ imports: [CreditsModule], controllers: [OverviewController], providers: [OverviewService] })
export class OverviewModule {}
