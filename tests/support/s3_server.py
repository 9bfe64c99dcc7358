"""Amazon's S3, STS and IAM, served by moto, for a test. Starts this file in the environment of cloud_servers, and fills it with objects.

Requests must be signed by the only user's key, or by a key of a role. moto checks each signature. Anyone may read the bucket `public`.
"""

import base64
import contextlib
import json
import os
import pathlib
import subprocess
import sys

PYTHON = pathlib.Path(__file__).resolve().parents[2] / "build" / "deps" / "cloud_servers" / "bin" / "python"
REGION = "eu-west-1"


class S3Server(contextlib.AbstractContextManager):
    """Use as a context manager. `page` is the number of keys on a listing's page."""

    def __init__(self, page=1000):
        self._process = subprocess.Popen([PYTHON, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.DEVNULL, text=True,
                                         env={**os.environ, "MOTO_S3_DEFAULT_MAX_KEYS": str(page)})
        started = json.loads(self._process.stdout.readline())
        self.port, self.key_id, self.secret, self.role = (started[name] for name in ("port", "key_id", "secret", "role"))

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait(timeout=60)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def environment(self, endpoint=None):
        return {"AWS_ENDPOINT_URL": endpoint or self.url, "AWS_DEFAULT_REGION": REGION, "AWS_ACCESS_KEY_ID": self.key_id,
                "AWS_SECRET_ACCESS_KEY": self.secret}

    def _tell(self, **what):
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "done\n"

    def put(self, bucket, key, body):
        self._tell(call="put_object", Bucket=bucket, Key=key, Body=base64.b64encode(body).decode())

    def delete(self, bucket, key):
        self._tell(call="delete_object", Bucket=bucket, Key=key)


def let_strangers_read(bucket):
    """Allows anonymous reads. moto always demands a key. Amazon does not for a public bucket, nor for a role by another issuer's token."""
    from moto.core.authorization import ActionAuthenticatorMixin
    from moto.s3.exceptions import S3AccessDeniedError

    of_everyone = ActionAuthenticatorMixin._authenticate_and_authorize_action

    def authorize(self, iam_request_cls, resource="*"):
        if "Authorization" in self.headers or self._get_action().endswith("AssumeRoleWithWebIdentity"):
            if "Authorization" in self.headers:
                of_everyone(self, iam_request_cls, resource)
        elif resource.split(":")[-1].partition("/")[0] != bucket:
            raise S3AccessDeniedError()

    ActionAuthenticatorMixin._authenticate_and_authorize_action = authorize


def main():
    import boto3
    import requests
    from moto.server import ThreadedMotoServer

    let_strangers_read("public")

    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    url = f"http://{host}:{port}"

    def client(service, **key):
        key = key or {"aws_access_key_id": "first", "aws_secret_access_key": "first"}
        return boto3.client(service, endpoint_url=url, region_name=REGION, **key)

    iam = client("iam")
    iam.create_user(UserName="tests")
    policy = json.dumps({"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]})
    iam.put_user_policy(UserName="tests", PolicyName="all", PolicyDocument=policy)
    key = iam.create_access_key(UserName="tests")["AccessKey"]
    trust = json.dumps({"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Principal": {"Federated": "*"}, "Action": "sts:AssumeRoleWithWebIdentity"}]})
    role = iam.create_role(RoleName="reader", AssumeRolePolicyDocument=trust)["Role"]["Arn"]
    iam.put_role_policy(RoleName="reader", PolicyName="all", PolicyDocument=policy)
    s3 = client("s3", aws_access_key_id=key["AccessKeyId"], aws_secret_access_key=key["SecretAccessKey"])
    for bucket in ("models", "public"):
        s3.create_bucket(Bucket=bucket, CreateBucketConfiguration={"LocationConstraint": REGION})
    s3.put_bucket_acl(Bucket="public", ACL="public-read")
    requests.post(f"{url}/moto-api/reset-auth", data=b"0", timeout=60).raise_for_status()  # from now on, moto checks keys
    print(json.dumps({"port": port, "key_id": key["AccessKeyId"], "secret": key["SecretAccessKey"], "role": role}), flush=True)
    for line in sys.stdin:
        what = json.loads(line)
        if "Body" in what:
            what["Body"] = base64.b64decode(what["Body"])
        if what["Bucket"] == "public":
            what["ACL"] = "public-read"
        getattr(s3, what.pop("call"))(**what)
        print("done", flush=True)
    server.stop()


if __name__ == "__main__":
    main()
