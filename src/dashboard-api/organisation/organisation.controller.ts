import { Body, Controller, Get, Param, Patch, Post } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { type Environment, ENVIRONMENTS } from '../../config/environment.js';
import { LimitedAs } from '../../rate-limits/rate-limit.hook.js';
import { CompressedResponse, OkResponse } from '../responses.js';
import { Access, CurrentMember, type Member } from '../session/access.js';
import { AppointmentService } from './appointment.service.js';
import { AppointmentDto, OrganisationDto, ProfileChangeDto, ProfileDto } from './dto/organisation.dto.js';
import { OrganisationService } from './organisation.service.js';
import { ValidationError } from '../../errors/api-error.js';
import type { Problem } from '../../errors/problem.js';
import { IN_BRACES, quotedHint } from '../../http/validation/hints.js';
import { isJsonObject } from '../../http/validation/shape.js';
import type { ProfileChange } from '../../tenants/profile-change.js';
import { PROFILE_FIELDS } from '../../tenants/tenant-profile.js';

@ApiTags('Organisation')
@ApiParam({ name: 'tenantId', schema: { type: 'string', format: 'uuid' } })
@Controller('dashboard/organisations/:tenantId')
export class OrganisationController {
  constructor(
    private readonly organisations: OrganisationService,
    private readonly appointments: AppointmentService,
  ) {}

  @Get()
  @Access('viewer')
  @ApiOperation({ operationId: 'getOrganisation', summary: 'Get the profile and the onboarding progress' })
  @CompressedResponse(OrganisationDto)
  show(@CurrentMember() { tenantId }: Member): Promise<OrganisationDto> {
    return this.organisations.show(tenantId);
  }

  @Patch('profile')
  @Access('owner')
  @ApiOperation({ operationId: 'changeProfile', summary: 'Change fields of the profile' })
  @ApiBody({ type: ProfileChangeDto })
  @ApiOkResponse({ type: ProfileDto, description: 'Normalised profile.' })
  change(@CurrentMember() member: Member, @Body() body: unknown): Promise<ProfileDto> {
    return this.organisations.change(member, readProfileChange(body));
  }

  @Post(':environment/appointment-check')
  @Access('member')
  @LimitedAs('tinChecks')
  @ApiOperation({
    operationId: 'checkAppointment',
    summary: 'Check whether the authority lets the service act for the organisation',
  })
  @ApiParam({ name: 'environment', enum: ENVIRONMENTS })
  @OkResponse(AppointmentDto)
  check(@CurrentMember() member: Member, @Param('environment') environment: Environment): Promise<AppointmentDto> {
    return this.appointments.check(member, environment);
  }
}

// Limits the length because the response repeats the name.
const NAME_CHARACTERS_MAX = 100;

const FIELDS: ReadonlySet<string> = new Set(PROFILE_FIELDS);

/**
 * Reads a change of the profile. Null or an empty string clears a field. The rules of the profile check the
 * values later.
 * @throws ValidationError (400) for a body that is not an object, an unknown field, or a value that is not a string
 */
function readProfileChange(body: unknown): ProfileChange {
  if (!isJsonObject(body)) {
    throw new ValidationError([
      { pointer: '', rule: 'body_type', message: 'the body must be a JSON object', hint: IN_BRACES },
    ]);
  }
  const problems = Object.entries(body).flatMap(([name, value]) => findProblems(name, value));
  if (problems.length > 0) throw new ValidationError(problems);
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, value ?? '']));
}

function findProblems(name: string, value: unknown): Problem[] {
  const pointer = `/${name.slice(0, NAME_CHARACTERS_MAX).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  if (!FIELDS.has(name)) {
    return [{ pointer, rule: 'member_unknown', message: 'is not a field of the profile', hint: 'leave it out' }];
  }
  if (value === null || typeof value === 'string') return [];
  return [{ pointer, rule: 'profile_type', message: 'must be a string', hint: quotedHint(value) }];
}
