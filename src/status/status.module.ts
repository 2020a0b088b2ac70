import { Module } from '@nestjs/common';
import { HeldPolls } from './held-polls.js';
import { StatusController } from './status.controller.js';
import { StatusService } from './status.service.js';

@Module({ controllers: [StatusController], providers: [HeldPolls, StatusService], exports: [StatusService] })
export class StatusModule {}
