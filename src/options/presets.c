/* SPDX-License-Identifier: MIT */

#include "options/options.h"
#include "core/duration.h"

/*
 * The words of a failure that is likely to pass, in any letters, as they are
 * said by the C library and OpenSSL, by Go, and by Java.
 */
#define NETWORK \
	"connection (was |has been )?(reset|refused|aborted|timed out|lost)|" \
	"connection broken|network is unreachable|no route to host|" \
	"temporary failure|could ?n.t (resolve (host|proxy)|connect)|" \
	"could not (resolve (host|proxy)|connect)|broken pipe|" \
	"name or service not known|" \
	"(operation|read|request|connect|handshake) timed ?-?out|" \
	"too ?many ?requests|service unavailable|bad gateway|gateway time"
#define NETWORK_GO \
	"i/o timeout|tls handshake timeout|client\\.timeout|goaway|" \
	"context deadline exceeded|server misbehaving|no such host|" \
	"stream error|http2: |unexpected eof\"?$|: eof\"?$"
#define NETWORK_JAVA \
	"premature end|terminated the handshake|unexpected end of file|" \
	"shut down incorrectly|unknownhost|unknown host|nohttpresponse|" \
	"failed to respond|connection closed|connect to .* failed"

/* What the presets of tools have in common: at most two retries. */
#define TOOL(delay) "--attempts=3", ("--delay=" delay), NULL

/* Statuses of HTTP that may be others the next time. */
#define PASSING "(408|425|429|5[0-9][0-9])"

/* Statuses that will not. */
#define LASTING "(40[0-7]|409|41[0-9]|42[0-46-8]|451)"

/*
 * A tool's failure is looked for in the lines that the tool itself writes; what
 * the tests play is in tests/data/failures.
 */
const struct preset presets[] = {
	{ .doc = "gRPC's connection backoff",
	    .source = "grpc/grpc, doc/connection-backoff.md",
	    .words = { "grpc", "--attempts=0",
		"--backoff=exponential:factor=1.6", "--delay=1s",
		"--max-delay=120s", "--jitter=20%", "--jitter-order=after-cap",
		"--pace=start", "--min-timeout=20s", NULL } },
	{ .doc = "Retries 2.1 of the AWS SDKs",
	    .source = "aws/aws-sdk-go-v2#3416, #3400",
	    .words = { "aws", "--attempts=3", "--backoff=exponential",
		"--delay=50ms", "--max-delay=20s", "--jitter=full",
		"--throttle-delay=1s",
		("--throttle-match=Throttl|tExceed|TooMany|SlowDown|PriorReq|"
		 "nInProg"),
		NULL } },
	{ .doc = "truncated binary exponential backoff at 10 Mb/s",
	    .source = "IEEE 802.3",
	    .words = { "ethernet", "--attempts=16",
		"--backoff=slots:ceiling=10", "--delay=51.2us", NULL } },
	{ .doc = "the defaults of EventSauce's BackOff",
	    .source = "EventSauce/BackOff 1.2.0",
	    .words = { "eventsauce", "--attempts=16", "--backoff=exponential",
		"--delay=100ms", "--max-delay=2.5s", "--jitter=none", NULL } },
	{ .doc = "restarts of a crashing container",
	    .source = "kubernetes.io, Pod Lifecycle",
	    .words = { "kubernetes", "--attempts=0", "--backoff=exponential",
		"--delay=10s", "--max-delay=300s", "--jitter=none",
		"--reset-after=10m", NULL } },
	{ .doc = "poll until something is ready",
	    .source = "retry's own",
	    .hint_limit = 3600,
	    .words = { "poll", "--attempts=0", "--backoff=exponential",
		"--delay=100ms", "--max-delay=1s", "--jitter=none",
		"--wait-first", NULL } },
	{ .doc = "network, 429, 5xx, a hash that differs, a held lock",
	    .source = "apt 2.6",
	    .permanent =
		"permanent: missing package, version or release; unsigned "
		"repository; broken dependency",
	    .lasting =
		"^(E|Err|Error): *(Unable to locate|Package .* has no "
		"installation candidate|Version .* was not found|Couldn.t "
		"find |Unable to find |Invalid operation|Command line option|"
		"Unable to correct problems|Unmet dependencies|Unsatisfied "
		"dependencies|The repository .* (is not signed|is no longer "
		"signed|does not have|no longer has)|Type .* is not known|"
		"Malformed|The list of sources|Conflicting values|Could not "
		"open lock file .*denied|.*are you root|You don.t have "
		"enough|dpkg was interrupted|Release file for|Packages were "
		"down|Essential packages|There (are|were) unauth|The package "
		".* needs to be reinstalled|Syntax error|Unable to parse|"
		"Held packages|Failed to fetch .* " LASTING " )|No space "
		"left on device|NO_PUBKEY",
	    .passing =
		"(?i)^((e|w|n|err|error|warning): *|err:|  ).*(" NETWORK
		"|connection failed|could not resolve|unable to connect|"
		"error reading from|hash sum mismatch|unexpected size|mirror "
		"sync|could not get lock|is another process|temporarily|"
		"something wicked|could not handshake|connection was closed|"
		"clearsigned|undetermined| " PASSING "  )",
	    .words = { "apt", TOOL("5s") } },
	{ .doc = "network, 429, 5xx",
	    .source = "cargo 1.95",
	    .permanent = "permanent: compiler error; missing crate or version; "
			 "damaged manifest",
	    .lasting =
		"^ *error(\\[E[0-9]+]|: (could not compile|no matching "
		"package|failed to select a version|failed to parse|no such "
		"(sub)?command|unexpected argument|invalid value|Found "
		"argument|unrecognized|the following required|a value is "
		"required|could not find|the lock file|cannot |the (package|"
		"argument)|failed to run custom build|linking with|linker |"
		"package |no (bin|example|test|bench|library|default-run)|a "
		"bin target|toolchain|rustup could not|.*rustc .* is not "
		"supported|checksum for|feature|none of the|unable to find|"
		"specification|permission denied|no (upload )?token|crate "
		"version|api errors|failed to (authenticate|read `|load "
		"manifest)|attempting to|the manifest|profile|target|there "
		"is nothing|aborting due))| --> ([^ ]*/)?(Cargo.toml|[^ "
		"]*\\.rs):[0-9]|^ +(no matching package|failed to parse|"
		"invalid|got (HTTP )?" LASTING "|.*got " LASTING
		")|No space left on device",
	    .passing =
		"(?i)^(error: |  ).*(" NETWORK "|timeout was reached|early "
		"eof|\\[(5|6|7|16|18|28|35|52|55|56|92)] |transfer closed|"
		"failure when receiving|ssl connect|http/2|too slow|got "
		"(http )?" PASSING "|network failure|failed sending)",
	    .words = { "cargo", TOOL("5s") } },
	{ .doc = "network, HTTP 000, 429, 5xx, checksums",
	    .source = "conda 4, mamba 2",
	    .permanent = "permanent: missing package; conflict",
	    .lasting =
		"PackagesNotFound|ResolvePackageNotFound|Unsatisfiable|"
		"EnvironmentFileNotFound|EnvironmentLocationNotFound|"
		"EnvironmentNameNotFound|EnvironmentFileExtension|"
		"SpecNotFound|CommandNotFoundError|ArgumentError|"
		"UnavailableInvalidChannel|NotWritable|NoWritable|"
		"PermissionError|NoSpaceLeft|No space left|"
		"DirectoryNotACondaEnvironment|CondaValueError|"
		"InvalidVersionSpec|InvalidMatchSpec|InvalidSpec|"
		"NonInteractiveError|RemoveError|CondaToSNonInteractive|"
		"Could not solve for environment specs|nothing provides |"
		"conflicts with|HTTP " LASTING " |^(conda|mamba).*: error: |"
		"unrecognized arguments|invalid choice|prefix already exists",
	    .passing =
		"(?i)(" NETWORK "|(HTTP|status:?) (000|" PASSING
		")([^0-9]|$)|readtimeout|connecttimeout|connection error|"
		"connectionerror|newconnection|chunkedencoding|"
		"incompleteread|protocolerror|checksummismatch|timeout was "
		"reached|download error|multi-download failed)",
	    .words = { "conda", TOOL("5s") } },
	{ .doc = "network, 408, 429, 5xx, a broken transfer",
	    .source = "curl 8",
	    .permanent =
		"permanent: any other HTTP status; wrong option or address; "
		"certificate; file",
	    .lasting = "^curl:.*error:? (" LASTING "|501|505)",
	    .passing = "^curl:.*error:? (408|429|50[0234]|52[24])",
	    .hint_limit = DURATION_MAX,
	    .words = { "curl", "--backoff=exponential", "--delay=1s",
		"--max-delay=10m", "--jitter=none",
		("--stop-on=1-4,9,11,13,14,17,19,21,23,26,30,31,33,34,36-39,"
		 "41-43,45,47-49,51,53,54,58-60,61,63,66-71,73,74,77,78,82,83,"
		 "85,90,91,94,98"),
		"--delay-match=(?i)^retry-after:(.*)", NULL } },
	{ .doc = "network, 429, 5xx, no daemon yet",
	    .source = "docker 28, podman 4",
	    .permanent = "permanent: missing image; no permission; damaged or "
			 "failing build file; exit status 126 or 127",
	    .lasting =
		"(?i)manifest unknown|manifest .*not found|access (denied|to "
		"the resource)|denied: |unauthorized|authentication required|"
		"no basic auth|invalid (reference|username|argument|tag|"
		"containerport|hostport)|no matching manifest|no image found "
		"in|unknown (flag|shorthand|command|instruction|transport|"
		"driver)|unrecognized command|is not a docker command|no "
		"space left|parse error|no from statement|unable to prepare|"
		"unable to evaluate|(copy|add) failed|failed to read "
		"dockerfile|cannot find (containerfile|dockerfile)|name "
		"unknown|repository .*(not exist|not found|not known)|"
		"permission denied|x509:|http response to https|exec format "
		"error|executable file not found|already (allocated|in use)|"
		"no such (image|container|network|volume|file)|did not "
		"complete success|non-zero code|(requires|accepts) "
		".*argument|failed to compute cache key|(status|code|"
		"registry|unexpected).* " LASTING "( |$|\\))",
	    .passing =
		"(?i)" NETWORK "|" NETWORK_GO "|toomanyrequests|rate limit|"
		"cannot connect to the docker daemon|error during connect|"
		"(status|code|registry)[^0-9]* " PASSING "( |$|\\))|ECONN|"
		"ETIMEDOUT|EAI_AGAIN|download failed after|request canceled|"
		"internal server error|try again later|connection failed|"
		"read timed out",
	    .words = { "docker", "--stop-on=126,127", TOOL("5s") } },
	{ .doc = "network, 408, 429, 5xx, a held lock",
	    .source = "git 2.39",
	    .permanent = "permanent: missing repository, branch or file; no "
			 "permission; conflict; rejected push",
	    .lasting =
		"(?i)^(fatal|error): (repository|authentication failed|could "
		"not read (user|pass)|destination path|not a git repo|remote "
		"branch|couldn.t find remote|invalid|.*does not appear to be "
		"a git|ambiguous|bad |refusing|not possible|need to specify|"
		"unable to auto-detect|detected dubious|no (remote|such|url|"
		"configured|upstream)|protocol .* is not|unable to find "
		"remote|.* is this a git|you have|your |the following|"
		"transport|pathspec|src refspec|unknown|cannot|could not "
		"(create|apply|lock config)|merging|pulling is|.*certificate|"
		"unable to access .*error: " LASTING
		"|rpc failed; http " LASTING
		"|the current branch|.*server certificate)|conflict "
		"\\(|! \\[(remote )?rejected]|^usage: git|is not a git "
		"command|permission (denied|to )|host key verif|^(remote|"
		"error): *(repository not found|invalid (user|cred)|http "
		"basic|permission|error: gh|.*quota|support for password|"
		"write access)|no space left",
	    .passing =
		"(?i)" NETWORK "|failed to connect|empty reply|too slow|"
		"early eof|(error:|http) " PASSING "|gnutls|ssl_|transfer "
		"closed|failure: |kex_exchange|another git process|\\.lock.: "
		"file exists|http/2|cannot lock ref|internal server error|"
		"connection closed by|closed by remote",
	    .words = { "git", TOOL("2s") } },
	{ .doc = "network, 429, 5xx",
	    .source = "go 1.19",
	    .permanent = "permanent: compiler error; missing module or version",
	    .lasting =
		"^[^ ]*\\.go:[0-9]+:[0-9]+: |undefined: |no required module|"
		"cannot find (module|package|main)|no matching versions|"
		"unknown (revision|command|subcommand)|invalid (version|"
		"module|flag|github)|errors parsing|malformed|go\\.mod file "
		"not found|flag provided but|missing go\\.sum|checksum "
		"mismatch|SECURITY ERROR|: " LASTING " [A-Z]|build "
		"constraints exclude|is not in (GOROOT|std)|import cycle|"
		"does not contain (package|main)|updates to go|requires go|"
		"toolchain not|not a known dependency|could not read User|"
		"[Rr]epository not found|Permission denied|module declares "
		"its path|no Go files|no space left|^usage: go|is not using "
		"a known version",
	    .passing =
		"(?i)^(go|[^ ]*\\.go:[0-9]+:[0-9]+|\t|fatal|error|ssh)(: "
		")?.*(" NETWORK "|" NETWORK_GO "|: " PASSING
		" [a-z]|error: " PASSING
		"|early eof|failed to connect)|" NETWORK_GO,
	    .words = { "go", TOOL("5s") } },
	{ .doc = "network, 429, 5xx, a held lock",
	    .source = "gradle 4",
	    .permanent =
		"permanent: error of the compiler or the script; missing "
		"module or task",
	    .lasting =
		"Could not find [^ ]*:[^ ]*(:|\\.)|Task .* (not found|is "
		"ambiguous)|Unknown command-line option|Compilation (failed|"
		"error)|Could not compile |Plugin .* (not|was not) found|"
		"startup failed|status code " LASTING "|Unsupported class "
		"file|does not contain a Gradle build|JAVA_HOME is|is "
		"incompatible with|Project .* not found|rule violations|"
		"Dependency verification failed|PKIX path|No such property|"
		"Could not set unknown|Could not get unknown|Could not find "
		"method|Invalid (maximum|initial) heap|is not a valid|Cannot "
		"locate tasks|Could not (determine java|create the Java)|No "
		"space left|No matching variant|No matching toolchains|"
		"Unresolved reference|cannot find symbol|Permission denied",
	    .passing =
		"(?i)^ *(> |caused by|exception|download).*(" NETWORK
		"|" NETWORK_JAVA "|status code " PASSING "|tag mismatch)|"
		"daemon disappeared|timeout (of|waiting)|(read|connect) "
		"timed out",
	    .words = { "gradle", TOOL("5s") } },
	{ .doc = "network, 429, 5xx, etcd, Conflict",
	    .source = "kubectl 1.32",
	    .permanent =
		"permanent: NotFound, Forbidden, Invalid, AlreadyExists; "
		"damaged file",
	    .lasting =
		"^([Ee]rror|The |Unable |unknown |[*]|E[0-9]).*(\\((NotFound|"
		"Forbidden|Invalid|AlreadyExists|BadRequest|MethodNotAllowed|"
		"Unauthorized|NotAcceptable|Gone|Expired|"
		"RequestEntityTooLarge|UnsupportedMediaType)\\)|You must be "
		"logged in|unknown (command|flag|shorthand)|error parsing|"
		"does not exist|doesn.t have a resource|resource mapping not "
		"found|no (matches|objects|configuration|kind|context)|"
		"unable to (recognize|decode|parse)|[Mm]ust (specify|be|"
		"provide)|required|error validating|ValidationError|strict "
		"decoding|immutable|x509:|getting credentials|not found|"
		"orbidden:|Error in config|invalid|error loading config|"
		"couldn.t (read|get version)|is not valid|flag needs)",
	    .passing =
		"(?i)" NETWORK "|" NETWORK_GO "|\\((ServiceUnavailable|"
		"Timeout|InternalError|TooManyRequests|ServerTimeout|"
		"Conflict)\\)|etcdserver|currently unable to handle|try "
		"again|was refused|an error on the server|object has been "
		"modified|request canceled|waiting for the condition",
	    .words = { "kubectl", TOOL("2s") } },
	{ .doc = "network, 5xx, checksums",
	    .source = "maven 3.8",
	    .permanent =
		"permanent: compiler error; missing artifact, plugin or "
		"goal",
	    .lasting =
		"COMPILATION ERROR|^Unable to parse command|Unrecognized "
		"option|JAVA_HOME .*not defined correctly|"
		"UnsupportedClassVersion|^ *\\[(ERROR|FATAL)] .*(Compilation "
		"failure|Could not find artifact|was not found in |Could not "
		"find the selected|Unknown (lifecycle phase|packaging)|No "
		"plugin found for prefix|No goals|Malformed POM|Non-(parse|"
		"read)able|Some problems were|requires a project|there is no "
		"POM|' (for .* )?is (missing|invalid)|(status|code):? " LASTING
		"|\\(" LASTING "\\)|(authentication|authorization) "
		"failed|Unauthorized|Not authorized|Forbidden|nvalid target "
		"release|release version .* not supported|Fatal error "
		"compiling|cannot find symbol|no longer supported|Blocked "
		"mirror|PKIX path|Child module .* does not|Enforcer Rule|"
		"Some Enforcer|offline mode|Could not find goal|No space "
		"left|POM file .* does not|cyclic reference|Duplicate)",
	    .passing =
		"(?i)^ *(\\[(error|warning|warn|fatal)]|caused by).*(" NETWORK
		"|" NETWORK_JAVA "|(code|status):? " PASSING "|checksum "
		"validation|\\(" PASSING "\\)|" PASSING " (internal|bad|"
		"service|gateway|server)|reasonphrase:.*(internal|"
		"unavailable|bad gateway|too many|time-?out)|internal server "
		"error)",
	    .words = { "maven", TOOL("5s") } },
	{ .doc = "network, 408, 429, 5xx",
	    .source = "npm 6 to 11",
	    .permanent =
		"permanent: E404, ETARGET, ERESOLVE, EUSAGE and the like; "
		"compiler error in node-gyp",
	    .lasting =
		"npm (ERR!|error) (code )?(E" LASTING "|ENEEDAUTH|EOTP|"
		"ETARGET|ERESOLVE|EUSAGE|EBADENGINE|EBADPLATFORM|ENOTSUP|"
		"EJSONPARSE|EINVALID|ENOLOCAL|EACCES|EPERM|EROFS|ENOSPC|"
		"ENOGIT|ENOVERSIONS|EPUBLISHCONFLICT|EPACKAGEJSON|EDUPLICATE|"
		"EUNSUPPORTED|EOVERRIDE|EWORKSPACES|ENOWORKSPACES|EUNKNOWN|"
		"ELSPROBLEMS|EPRIVATE|EMISSINGARG|ESTRICT|UNABLE_TO_|"
		"SELF_SIGNED|DEPTH_ZERO|CERT_|ERR_TLS_CERT|ERR_INVALID)|npm "
		"(ERR!|error) (enoent .*package\\.json|"
		".*ENOENT.*package(-lock)?\\.json|.*[Mm]issing script|"
		"Invalid |cipm can only|Unknown command|.*Permission denied "
		"\\(|.*Repository not found|notarget|.*spawn git)|"
		"^[Uu]nknown command|^Usage: npm|gyp ERR! (build error|find "
		"Python|find VS)|ERR!.* not found: make|npm@.* does not "
		"support Node",
	    .passing =
		"npm (ERR!|error|WARN|warn) .*(ECONN|ETIMEDOUT|"
		"ESOCKETTIMEDOUT|ERR_SOCKET_TIMEOUT|EAI_AGAIN|ENOTFOUND|"
		"EHOSTUNREACH|ENETUNREACH|ENETDOWN|EPIPE|EPROTO|FETCH_ERROR|"
		"socket hang up|[Ss]ocket timeout|network timeout|"
		"aborted|E" PASSING
		"|Z_BUF_ERROR|ERR_STREAM_PREMATURE_CLOSE|stale data|"
		"status " PASSING "|: " PASSING " [A-Z]|ERR_HTTP2)",
	    .words = { "npm", TOOL("5s") } },
	{ .doc = "network errors, if its warnings show them",
	    .source = "pip 23",
	    .permanent =
		"permanent: missing package or version, which is also what "
		"it reports if the index answers 503; conflict; hash; "
		"compiler error",
	    .lasting =
		"No matching distribution|Could not find a version|"
		"ResolutionImpossible|conflicting dependencies|DO NOT MATCH "
		"THE HASHES|Hashes are required|Invalid requirement|nvalid "
		"(wheel filename|specifier)|Could not open requirements|is "
		"not installable|not appear to be a Python|no such option|"
		"unknown command|subprocess-exited-with|"
		"metadata-generation-failed|Failed (building|to build)|"
		"legacy-install-failure|externally-managed|Permission denied|"
		"No space left|requires a different Python|Requires-Python|"
		"not a supported wheel|HTTP error " LASTING "|" LASTING
		" Client Error|must give at least one|EOF when reading|"
		"error: command |failed with e(xit|rror)|Expected (end|"
		"package|matching|semicolon)|editable requirement|"
		"uninstall-no-record|Cannot uninstall|python setup.py "
		"egg_info|option requires|ambiguous option|invalid choice|"
		"^Usage:",
	    .passing =
		"Retrying \\(Retry|[Cc]onnection (broken|aborted|reset|"
		"refused|timed out)|timed out|Max retries exceeded|"
		"TimeoutError|ConnectionError|ResolutionError|IncompleteRead|"
		"ConnectionResetError|ProtocolError|RemoteDisconnected|"
		"Temporary failure|HTTP error " PASSING "|" PASSING
		" (Client|Server) Error|too many [0-9]+ error|"
		"ChunkedEncoding|Remote end closed|Network is unreachable|"
		"incomplete-download|BrokenPipe",
	    .words = { "pip", TOOL("5s") } },
	{ .doc = "no connection, busy or starting server, deadlock",
	    .source = "psql 15",
	    .permanent =
		"permanent: any other SQL error; authentication; missing "
		"database",
	    .lasting =
		"(FATAL|ERROR|PANIC): +.*(authentication failed|does not "
		"exist|no pg_hba|permission denied|syntax error|already "
		"exists|violates|not permitted|must be |division by zero|"
		"invalid |undefined|duplicate|no password|too long|out of "
		"range|is not unique|cannot |unrecognized|mismatch|"
		"unterminated|current transaction is aborted|read-only)|no "
		"password supplied|psql: (error: )?(could not (open|read)|"
		"invalid|missing|unrecognized|.*: No such file or "
		"directory$)|[Tt]ry .*psql --help|unrecognized option|does "
		"not support SSL|certificate verify|root certificate|invalid "
		"command|could not open file|^[^ ]+: No such file",
	    .passing =
		"(?i)" NETWORK "|starting up|shutting down|recovery mode|not "
		"yet accepting|too many (clients|connections)|remaining "
		"connection slots|timeout expired|closed the connection|"
		"could not (translate|receive|send|serialize|obtain lock)|"
		"terminating connection|deadlock|canceling statement due|"
		"server running|ssl syscall|on socket|unexpected message",
	    .words = { "psql", TOOL("2s") } },
	{ .doc = "network; also for scp, sftp and rsync",
	    .source = "OpenSSH 9.2, rsync 3",
	    .permanent =
		"permanent: authentication; host key; missing file; status "
		"of the remote command",
	    .lasting =
		"(?i)permission denied|host key verif|host identification|"
		"bad (configuration|owner|port)|(unknown|illegal) option|"
		"invalid option|^usage: |^rsync: .*unknown|authentication "
		"failures|unable to negotiate|no matching (host|key|cipher|"
		"mac)|^(scp|sftp): .*(no such file|not a (regular|directory)|"
		"is a directory|stat local)|^rsync.*(\\((2|13|17|20|21|28|30|"
		"36)\\)|code ([1-4]|6|14|2[0-2])\\))|^@error: (auth|unknown|"
		"access|chroot|invalid|password)|no space left|quota "
		"exceeded|command not found|: not found$|keyword .* |missing "
		"argument|unsupported option|terminating, [0-9]+ bad config|"
		"error in libcrypto|incorrect passphrase|no such identity",
	    .passing =
		"(?i)^(ssh|kex_[a-z_]+|connection|rsync|\\[|client_loop|read|"
		"packet|timeout|@error|banner|ssh_[a-z_]+).*(timed? ?out|"
		"connection (reset|refused)|reset by|no route|unreachable|"
		"temporary failure|name or service|closed by remote|try "
		"again|max connections|not responding)",
	    .words = { "ssh", "--retry-on=5,10-13,23,24,30,35,255",
		("--retry-match=(?i)^(scp|sftp|rsync|ssh|lost connection|kex_|"
		 "connection (closed|reset|to|timed))"),
		TOOL("2s") } },
	{ .doc = "network, throttling, 429, 5xx",
	    .source = "terraform 1.11",
	    .permanent = "permanent: error in the configuration; 401, 403, 404",
	    .lasting =
		"Error: [^A-Z]*(Unsupported|Missing|Invalid|Reference to|"
		"No (value|"
		"configuration|declaration|valid)|Unreadable|Duplicate|"
		"Inconsistent|Incorrect|Failed to (parse|read)|Argument|"
		"Module (not|version)|Backend|Cycle|Provider (configuration|"
		"produced)|Unresolvable|Call to|Terraform encountered|Too "
		"many|Extra|Variables not|Unclosed|Unterminated|Error in "
		"function|Attempt|Self-|Required|Saved plan|Instance cannot|"
		"Value for|Given|Could not load plugin|Unexpected)|response "
		"code: " LASTING "|(requires|invalid) auth|[Aa]ccess ?Denied|"
		"UnauthorizedOperation|AuthFailure|AuthorizationFailed|"
		"InvalidClientToken|ExpiredToken|[^0-9]" LASTING
		" (Forbidden|Un|Not|Bad|Conflict)|Error " LASTING
		":|StatusCode[:=] ?" LASTING "|already exists|has no command|"
		"flag provided|does not have a provider|no available "
		"releases|InvalidParameter|Validation(Exception|Error)|"
		"NotFoundException|No valid credential|x509:|No space left|"
		"AlreadyExists",
	    .passing =
		"(?i)" NETWORK "|" NETWORK_GO "|throttl|requestlimit|rate "
		"?(limit|exceeded)|slowdown|(code|statuscode)[:=] ?" PASSING
		"|error " PASSING "|" PASSING " (too|internal|bad|service|"
		"gateway)|internal ?(server)? ?error|timeout while|giving up "
		"after|send request failed|operationaborted|concurrentmod|"
		"request canceled|connection$|by peer",
	    .words = { "terraform", TOOL("5s") } },
	{ .doc = "network, 408, 429, 5xx",
	    .source = "wget 1.21",
	    .permanent =
		"permanent: any other HTTP status; wrong option or address; "
		"certificate; file",
	    .lasting =
		"(ERROR|Error|error) (" LASTING "|501|505)|wget2?: (missing|"
		"unrecognized|invalid|option|unknown)|Unsupported scheme|: "
		"No such file|Permission denied|No space left|Invalid (URL|"
		"port|host|IPv6)|Scheme missing|Username/Password|"
		"redirections exceeded|cannot verify .* certificate",
	    .passing =
		"(ERROR|Error|error) " PASSING "|[Cc]onnection (refused|"
		"reset|timed out|closed)|Read error|No data received|unable "
		"to resolve|Temporary failure|Network is unreachable|No "
		"route|Giving up|timed out|Unable to establish SSL",
	    .words = { "wget", "--stop-on=2,5,6", TOOL("2s") } },
	{ .doc = NULL },
};
