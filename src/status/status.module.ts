import { Module } from '@nestjs/common';
import { AuthModule } from '../accounts/api-keys/auth.module.js';
import { HeldPolls } from './held-polls.js';
import { StatusReader } from './status-reader.js';
import { StatusController } from './status.controller.js';
import { StatusService } from './status.service.js';

@Module({
  imports: [AuthModule],
  controllers: [StatusController],
  providers: [HeldPolls, StatusReader, StatusService],
  exports: [StatusService],
})
export class StatusModule {}
