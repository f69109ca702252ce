import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

/** A Python with Authlib; `npm test` installs one if it can. */
const python = process.env.AUTHLIB_PYTHON ?? 'python3';

export const hasAuthlib =
  spawnSync(python, ['-c', 'import authlib, requests, joserfc'], { stdio: 'ignore' }).status === 0;

/** A relying party as in Authlib's documentation; each call runs one step and prints JSON. */
const program = `
import json, sys
import requests
from authlib.common.urls import add_params_to_uri
from authlib.integrations.requests_client import OAuth2Session
from joserfc import jwt
from joserfc.jwk import KeySet

step, about = sys.argv[1], json.loads(sys.argv[2])
server = requests.get(about["issuer"] + "/.well-known/openid-configuration").json()
client = OAuth2Session(
    about["clientId"], about["secret"], scope=about["scope"], redirect_uri=about["redirectUri"],
    code_challenge_method="S256", token_endpoint=server["token_endpoint"], token=about.get("token"),
)

def claims_of(token):
    keys = KeySet.import_key_set(requests.get(server["jwks_uri"]).json())
    registry = jwt.JWTClaimsRegistry(
        iss={"essential": True, "value": server["issuer"]}, aud={"essential": True, "value": about["clientId"]}
    )
    claims = jwt.decode(token["id_token"], keys, algorithms=server["id_token_signing_alg_values_supported"]).claims
    registry.validate(claims)
    return claims

if step == "begin":
    url, state = client.create_authorization_url(
        server["authorization_endpoint"], nonce=about["nonce"], code_verifier=about["verifier"]
    )
    print(json.dumps({"url": url, "state": state}))
elif step == "finish":
    token = client.fetch_token(
        server["token_endpoint"], authorization_response=about["answer"], state=about["state"], code_verifier=about["verifier"]
    )
    print(json.dumps({"token": token, "claims": claims_of(token), "person": client.get(server["userinfo_endpoint"]).json()}))
elif step == "refresh":
    token = client.refresh_token(server["token_endpoint"], about["token"]["refresh_token"])
    print(json.dumps({"token": token, "claims": claims_of(token), "person": client.get(server["userinfo_endpoint"]).json()}))
elif step == "leave":
    parameters = {"id_token_hint": about["token"]["id_token"], "post_logout_redirect_uri": about["leaveUri"], "state": "left"}
    print(json.dumps({"url": add_params_to_uri(server["end_session_endpoint"], list(parameters.items()))}))
`;

export async function authlib<T>(step: 'begin' | 'finish' | 'refresh' | 'leave', about: object): Promise<T> {
  const { stdout } = await promisify(execFile)(python, ['-c', program, step, JSON.stringify(about)], {
    // Test portals use plain HTTP.
    env: { ...process.env, AUTHLIB_INSECURE_TRANSPORT: '1', NO_PROXY: '*', no_proxy: '*' },
  });
  return JSON.parse(stdout) as T;
}
