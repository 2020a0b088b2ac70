import { Module } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { type Configuration, CONFIGURATION } from '../../config/configuration.js';
import { OPERATOR_DATA_SOURCE } from '../../database/database.module.js';
import { SubmissionReleaseService } from '../../dispatcher/releases/submission-release.service.js';
import { AuthorityDocuments } from '../../dispatcher/queue/authority-documents.js';
import { AuthorityModule } from '../../authority/authority.module.js';
import { OperatorLimitsController } from './limits.controller.js';
import { OperatorController } from './operator.controller.js';
import { OperatorDatabase } from './operator-database.js';
import { OperatorOrdersController } from './orders.controller.js';
import { OperatorOrdersService } from './orders.service.js';
import { OperatorPagesService } from './operator.service.js';
import { OperatorQueueController } from './queue.controller.js';
import { OperatorReleaseService } from './operator-release.service.js';
import { OperatorVerificationsController } from './verifications.controller.js';
import { OperatorVerificationsService } from './verifications.service.js';

@Module({
  imports: [AuthorityModule],
  controllers: [
    OperatorController,
    OperatorLimitsController,
    OperatorOrdersController,
    OperatorQueueController,
    OperatorVerificationsController,
  ],
  providers: [
    AuthorityDocuments,
    OperatorDatabase,
    OperatorOrdersService,
    OperatorPagesService,
    OperatorReleaseService,
    OperatorVerificationsService,
    {
      // What the authority is asked goes over the connection with its tokens; what is decided over the operators'.
      provide: SubmissionReleaseService,
      inject: [getDataSourceToken(OPERATOR_DATA_SOURCE), AuthorityDocuments, CONFIGURATION],
      useFactory: (dataSource: DataSource, documents: AuthorityDocuments, configuration: Configuration) =>
        new SubmissionReleaseService(dataSource, documents, configuration),
    },
  ],
})
export class OperatorModule {}
