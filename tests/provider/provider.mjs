// A real OpenID provider for tests: oidc-provider, with its sign-in forms for development, where any password is right.
// usage: node provider.mjs REDIRECT_URI client_secret_basic|client_secret_post
// Prints "ready ISSUER". POST /test takes JSON: {accounts: {name: claims}}, {rotate: true} makes new keys, {tamper: …}
// changes the ID tokens: {claims} are merged into theirs, {by: 'none' | 'stranger' | 'secret'} forges their signature.
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { SignJWT, decodeJwt, importJWK } from 'jose';
import { Provider } from 'oidc-provider';

const [redirectUri, authentication] = process.argv.slice(2);
const accounts = {};
let tamper = null;
let keys = [];
let provider;
let handle;

const makeKey = (kid, type) => {
  const { privateKey } = type === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), kid, use: 'sig', alg: type === 'rsa' ? 'RS256' : 'ES256' };
};
let generation = 0;
function rotate(issuer) {
  generation += 1;
  keys = [makeKey(`rsa-${generation}`, 'rsa'), makeKey(`ec-${generation}`, 'ec')];
  provider = new Provider(issuer, {
    jwks: { keys },
    clients: [
      { client_id: 'plimsoll', client_secret: 'a secret that is long enough', redirect_uris: [redirectUri], post_logout_redirect_uris: [redirectUri], id_token_signed_response_alg: 'RS256', token_endpoint_auth_method: authentication },
      { client_id: 'plimsoll-ec', client_secret: 'another secret, long enough', redirect_uris: [redirectUri], post_logout_redirect_uris: [redirectUri], id_token_signed_response_alg: 'ES256', token_endpoint_auth_method: authentication },
      { client_id: 'plimsoll-public', redirect_uris: [redirectUri], post_logout_redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' },
    ],
    clientAuthMethods: [authentication, 'none'],
    pkce: { required: () => true },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username'], groups: ['groups'] },
    scopes: ['openid', 'email', 'profile', 'groups'],
    cookies: { keys: ['only for tests'] },
    findAccount: (_, sub) => accounts[sub] && { accountId: sub, claims: () => ({ sub, ...accounts[sub] }) },
  });
  provider.use(async (ctx, next) => {
    await next();
    if (tamper && ctx.path === '/token' && ctx.body?.id_token) ctx.body.id_token = await forged(ctx.body.id_token);
  });
  handle = provider.callback();
}

const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** What a hostile provider, or somebody between it and the server, might send. */
async function forged(token) {
  const claims = { ...decodeJwt(token), ...tamper.claims };
  for (const [name, value] of Object.entries(claims)) if (value === null) delete claims[name];
  const { kid } = JSON.parse(Buffer.from(token.split('.')[0], 'base64url'));
  if (tamper.by === 'none') return `${encode({ alg: 'none' })}.${encode(claims)}.`;
  if (tamper.by === 'secret') {
    // The public key, which everybody has, as the key of a symmetric signature.
    const { n } = keys.find((key) => key.kid === kid);
    const message = `${encode({ alg: 'HS256', kid })}.${encode(claims)}`;
    return `${message}.${createHmac('sha256', Buffer.from(n, 'base64url')).update(message).digest('base64url')}`;
  }
  const key = tamper.by === 'stranger' ? makeKey(kid, 'rsa') : keys.find((one) => one.kid === kid);
  return new SignJWT(claims).setProtectedHeader({ alg: key.alg, kid }).sign(await importJWK(key, key.alg));
}

const server = createServer(async (request, response) => {
  if (request.url !== '/test') return handle(request, response);
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  const wish = JSON.parse(Buffer.concat(pieces));
  if (wish.accounts) Object.assign(accounts, wish.accounts);
  if (wish.rotate) rotate(`http://127.0.0.1:${server.address().port}`);
  if ('tamper' in wish) tamper = wish.tamper;
  response.end();
});
server.listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  rotate(issuer);
  console.log(`ready ${issuer}`);
});
// It ends with the test that started it.
process.stdin.resume();
process.stdin.on('end', () => process.exit());
