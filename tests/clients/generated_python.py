"""A round trip with the Python client that OpenAPI Generator makes. Runs in the client's own folder."""

import os

import openapi_client as plimsoll

configuration = plimsoll.Configuration(host=os.environ["PLIMSOLL_SERVER"], access_token=os.environ["PLIMSOLL_TOKEN"])
with plimsoll.ApiClient(configuration) as client:
    jobs = plimsoll.JobsApi(client)
    spec = plimsoll.JobSpec.from_dict({"kind": "sentiment", "args": {"texts": ["good", "bad"]}})
    job = jobs.create_job(spec)
    while job.state not in ("succeeded", "failed", "cancelled"):
        job = jobs.get_job(job.id, wait=60)
    assert job.state == "succeeded", job
    labels = [row["label"] for row in jobs.get_job_results(job.id).to_dict()["items"]]
    assert labels == ["positive", "negative"], labels
    try:
        jobs.get_job("job_0000000000000")
        raise AssertionError("found a job that does not exist")
    except plimsoll.exceptions.NotFoundException as error:
        problem = plimsoll.Problem.from_json(error.body)
        assert problem.status == 404 and problem.request_id, error
