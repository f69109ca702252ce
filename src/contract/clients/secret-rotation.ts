import { IsBoolean, IsISO8601, IsOptional, IsUUID, MaxLength } from 'class-validator';

/** `POST /api/admin/client/{id}/rotation`. */
export class RotationRequest {
  /** Id of the shared secret that the new one replaces. */
  @IsUUID()
  replaces: string;
}

/** `PUT /api/admin/client/{id}/rotation`. */
export class RotationChange {
  /** The app has the new secret. */
  @IsOptional()
  @IsBoolean()
  stored?: boolean;

  /** ISO 8601: when the old secret ends. */
  @IsOptional()
  @IsISO8601({ strict: true, strictSeparator: true })
  @MaxLength(40)
  oldExpires?: string;
}

/** `POST /api/admin/client/{id}/rotation/end`. */
export class RotationEnd {
  /** True to remove the old secret now; otherwise it ends on its date. */
  @IsBoolean()
  now: boolean;
}

/** One of the two secrets of a rotation. */
export class RotatedSecret {
  id: string;
  description: string | null;
  /** ISO 8601, UTC. */
  expires: string | null;
  lastUsed: string | null;
}

/** The rotation of a shared secret that is under way: both secrets work. */
export class SecretRotation {
  oldSecret: RotatedSecret;
  newSecret: RotatedSecret;
  startedAt: string;
  /** When an administrator said that the app has the new secret. */
  storedAt: string | null;
}

/** `GET /api/admin/client/{id}/rotation`. */
export class RotationState {
  rotation: SecretRotation | null;
}

/** The only answer with the new secret. */
export class StartedRotation {
  rotation: SecretRotation;
  secret: string;
}

/** A rotation among those of all clients. */
export class ClientRotation {
  /** Id of the client. */
  id: string;
  name: string;
  /** True once the app has signed in with the new secret. */
  isSeen: boolean;
}

/** `GET /api/admin/client/rotations`: the oldest first. */
export class ClientRotations {
  rotations: ClientRotation[];
  /** True if there are more. */
  hasMore: boolean;
}
