import { Module } from '@nestjs/common';
import { NeedsActionController } from './needs-action.controller.js';
import { NeedsActionService } from './needs-action.service.js';

@Module({ controllers: [NeedsActionController], providers: [NeedsActionService] })
export class NeedsActionModule {}
