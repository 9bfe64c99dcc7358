import model_calls
from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()
model = model_calls.load()


class Rows(BaseModel):
    rows: list


@app.post("/predict")
def predict(request: Rows):
    return {"scores": model(model_calls.rows_of(request.rows)).tolist()}
